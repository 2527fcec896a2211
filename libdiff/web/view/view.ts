/*
 * The script of the viewer. The token leaves the address before anything else happens: key.ts keeps it.
 */
import "./view.css";
import { startTheme } from "../kit/topbar.ts";
import { Api } from "./api.ts";
import { App, showLost } from "./app.ts";
import { askOthers, keepKey, rememberedKey } from "./key.ts";
import { takeToken } from "./place.ts";

function start(): void {
  const { token: given, rest } = takeToken(location.hash);
  const token = given ?? rememberedKey();
  startTheme();
  if (token === null) {
    showLost();
    askOthers((key) => {
      keepKey(key);
      location.reload();
    });
    addEventListener("hashchange", () => {
      if (takeToken(location.hash).token !== null) location.reload();
    });
    return;
  }
  if (given !== null) history.replaceState(null, "", `#${rest}`);
  keepKey(token);
  new App(new Api(token, (path, init) => fetch(path, init)));
}

start();
