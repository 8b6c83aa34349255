"""The viewer: a server for this machine, and the page that it serves; `regard.viewer.widget` for notebooks."""
