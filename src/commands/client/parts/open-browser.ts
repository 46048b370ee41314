/** Opens an address in the browser of whoever sits at this machine. */
import { spawn } from "node:child_process";
import process from "node:process";
import type { ClientEnvironment } from "../../../client/input/environment.ts";

type Screen = Pick<ClientEnvironment, "browser" | "hasScreen">;

/** @returns whether a browser may have opened it: without a screen there is none */
export function openBrowser(url: string, screen: Screen): boolean {
  const command = browserCommand(process.platform, screen);
  if (command === undefined) return false;
  const [program, ...before] = command;
  // Not through a shell: the address comes from the service.
  const child = spawn(program, [...before, url], { stdio: "ignore", detached: true });
  child.on("error", () => {});
  child.unref();
  return true;
}

export function browserCommand(
  platform: string,
  { browser, hasScreen }: Screen,
): readonly [string, ...string[]] | undefined {
  if (browser !== undefined) return [browser];
  if (platform === "darwin") return ["open"];
  if (platform === "win32") return ["rundll32", "url.dll,FileProtocolHandler"];
  return hasScreen ? ["xdg-open"] : undefined;
}
