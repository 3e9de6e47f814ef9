// Reading what a session holds over HTTP. An answer that is not JSON is an error, as are all others: nothing is
// swallowed here.

export class Api {
  constructor(base, token) {
    this.root = `${base}/deck/${token}`
  }

  async get(path, parameters = {}) {
    const query = new URLSearchParams(parameters).toString()
    const response = await fetch(`${this.root}/${path}${query ? `?${query}` : ""}`, { credentials: "same-origin" })
    if (!response.ok || !response.headers.get("content-type")?.startsWith("application/json")) {
      throw new Gone(`${path}: ${response.status}`)
    }
    return response.json()
  }

  picture(uid, parameters = {}) {
    const query = new URLSearchParams(parameters).toString()
    return `${this.root}/image/${encodeURIComponent(uid)}${query ? `?${query}` : ""}`
  }
}

// The server no longer knows what was asked for.
export class Gone extends Error {}
