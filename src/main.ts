/** The program: a template process when started as one, else the command that was asked for. */
import process from "node:process";
import { templateProcessFlag } from "./protocol/message-port.ts";

/** Made here: in a compiled binary only a URL made beside the entry finds the thread. */
const threadEntry = new URL("./thread.ts", import.meta.url).href;

if (process.argv.includes(templateProcessFlag)) {
  // Nothing of the service is loaded: a template process is up in milliseconds and knows no secret.
  await import("./thread.ts");
} else {
  const { installPluginModule } = await import("./runtime/plugin-module.ts");
  installPluginModule();
  const { runCommand } = await import("./commands/index.ts");
  await runCommand(process.argv.slice(2), { threadEntry, mainPath: import.meta.filename });
}
