/** Files of the console: bundled from source, or replaced with prebuilt ones by the build of the binary. */
import { bundleConsole, type ConsoleFile } from "./bundle.ts";

/** @returns an empty list if the runtime has no bundler. */
export async function consoleFiles(): Promise<readonly ConsoleFile[]> {
  return typeof Bun === "undefined" ? [] : bundleConsole();
}
