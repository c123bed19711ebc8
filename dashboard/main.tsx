/** Puts the dashboard on the page. */
import { render } from "preact";

const place = document.getElementById("app");
if (place) render(<p>Sandpiper</p>, place);
