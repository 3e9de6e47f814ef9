// Reading what a session holds over HTTP. An answer that is not JSON is an error, as are all others: each is reported
// and goes on to whoever asked.

export class Api {
  constructor(base, token, report) {
    this.root = `${base}/deck/${token}`
    this.report = report
  }

  async get(path, parameters = {}) {
    try {
      return await this.#read(path, parameters)
    } catch (error) {
      this.report(error, this)
      throw error
    }
  }

  async #read(path, parameters) {
    const query = new URLSearchParams(parameters).toString()
    const response = await fetch(`${this.root}/${path}${query ? `?${query}` : ""}`, { credentials: "same-origin" })
    const isJson = response.headers.get("content-type")?.startsWith("application/json")
    if (!response.ok) throw new Refused(await response.text())
    if (!isJson) throw new Refused("Something else answered in place of the server.")
    return response.json()
  }

  picture(uid, parameters = {}) {
    const query = new URLSearchParams(parameters).toString()
    return `${this.root}/image/${encodeURIComponent(uid)}${query ? `?${query}` : ""}`
  }
}

// The server answered, with a sentence on why it gives nothing.
export class Refused extends Error {}
