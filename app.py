"""Tapedeck: the page, the routes beside it and the embedded endpoint, put together; nothing else is here.

``streamlit run app.py`` serves it. Streamlit runs this file again as the script of every page.
"""

from __future__ import annotations

import streamlit as st

from components import page

if __name__ == "__main__":
    page.draw()
else:
    from starlette.routing import Mount

    from components.routes import routes
    from tape.endpoint.app import create_app

    root = str(st.get_option("server.baseUrlPath") or "").strip("/")
    beside = f"/{root}/endpoint" if root else "/endpoint"
    app = st.App(__file__, routes=[*routes(root), Mount(beside, create_app())])
