import { start } from "./widget.js";

start(document.getElementById("page"));
