/**
 * Entry of a worker: a device thread, or a template process if the program is started as one. Must be next to main.ts.
 */
import process from "node:process";
import { builtins } from "../plugins/index.ts";
import { serveTasks } from "./executor/runner.ts";
import { templateProcessFlag } from "./protocol/message-port.ts";
import { createGarbageCollector } from "./runtime/collect.ts";
import { childPort, refuseExit, threadPort } from "./runtime/message-port.ts";
import { installPluginModule } from "./runtime/plugin-module.ts";

installPluginModule();
refuseExit();
const isChild = process.argv.includes(templateProcessFlag);
// Collects what a render or a job leaves behind before the next one. A thread sees the memory of its whole process.
createGarbageCollector(isChild ? { freeBytes: 80 * 1024 * 1024 } : {});
serveTasks(isChild ? childPort() : threadPort(), builtins, console);
