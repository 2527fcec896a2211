/*
 * The script of the viewer. The token leaves the address before anything else happens: it is kept in memory alone.
 */
import "./view.css";
import { startTheme } from "../kit/topbar.ts";
import { Api } from "./api.ts";
import { App, showLost } from "./app.ts";
import { takeToken } from "./place.ts";

function start(): void {
  const { token, rest } = takeToken(location.hash);
  startTheme();
  if (token === null) {
    showLost();
    addEventListener("hashchange", () => {
      if (takeToken(location.hash).token !== null) location.reload();
    });
    return;
  }
  history.replaceState(null, "", `#${rest}`);
  new App(new Api(token, (path, init) => fetch(path, init)));
}

start();
