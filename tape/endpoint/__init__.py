"""The embedded Messages endpoint: an ASGI app that checks an array and answers it with a script."""
