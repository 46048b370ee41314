/** The program: a template process or a trial of plugins if started as one, otherwise the given command. */
import process from "node:process";
import { templateProcessFlag } from "./protocol/message-port.ts";
import { pluginTrialFlag } from "./protocol/plugin-trial.ts";

/** Must be created here: a compiled binary only finds the thread by a URL created next to the entry. */
const threadEntry = new URL("./thread.ts", import.meta.url).href;

if (process.argv.includes(templateProcessFlag)) {
  // Loads nothing of the service: a template process starts in milliseconds and has no secrets.
  await import("./thread.ts");
} else if (process.argv.includes(pluginTrialFlag)) {
  const { childPort } = await import("./runtime/message-port.ts");
  const { installPluginModule } = await import("./runtime/plugin-module.ts");
  const { serveTrial } = await import("./registry/trial.ts");
  installPluginModule();
  serveTrial(childPort());
} else {
  const { installPluginModule } = await import("./runtime/plugin-module.ts");
  installPluginModule();
  const { runCommand } = await import("./commands/index.ts");
  await runCommand(process.argv.slice(2), { threadEntry, mainPath: import.meta.filename });
}
