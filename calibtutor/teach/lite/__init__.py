"""The course in a browser tab: a site of the notebooks that run there, without a server."""
