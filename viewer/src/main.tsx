import { render } from "preact";
import { follow } from "./address";
import { App } from "./app";
import { listen } from "./parts/said";
import { begin } from "./store";
import "./style/page.css";
import "./style/spine.css";
import "./style/views.css";

follow();
begin();
listen();
render(<App />, document.getElementById("page")!);
