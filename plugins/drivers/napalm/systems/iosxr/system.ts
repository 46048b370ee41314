/** The system iosxr: Cisco IOS XR through its XML agent in an SSH terminal. */
import type { Context } from "patchbay/plugin";
import { escapeXml } from "patchbay/plugin";
import { type Answers, defineSystem, type OpenSystem } from "../../system.ts";
import { type Agent, openAgent, readAnswer, readCommand } from "./agent.ts";
import { createConfiguration, lock } from "./configuration.ts";
import type { XrDevice } from "./device.ts";
import { getters } from "./getters.ts";

export default defineSystem<XrDevice>({
  name: "iosxr",
  getters,
  async open(tools, ctx): Promise<OpenSystem<XrDevice>> {
    const agent = await openAgent(tools, ctx);
    // Like NAPALM: the lock is held as long as the session lasts.
    const isLocked = tools.connection.optional.config_lock === true;
    try {
      if (isLocked) await lock(agent, ctx);
    } catch (error) {
      await agent.close();
      throw error;
    }
    return {
      platform: "cisco_xr",
      device: (answers, ctx) => createDevice(agent, answers, ctx),
      cli: (command, ctx) => show(agent, command, ctx),
      configuration: createConfiguration(agent, { isLocked }),
      describe: async () => ({ prompt: agent.prompt }),
      // The agent handles one request at a time.
      concurrent: false,
      alive: async () => agent.alive(),
      reusable: async () => agent.alive() && !isLocked,
      close: () => agent.close(),
    };
  },
});

function createDevice(agent: Agent, answers: Answers, ctx: Context): XrDevice {
  const ask: XrDevice["ask"] = (request) =>
    answers.once(request, () => agent.request(request, ctx), readAnswer);
  const command = async (mode: "Exec" | "Configuration", text: string) =>
    readCommand(text, await ask(`<CLI><${mode}>${escapeXml(text)}</${mode}></CLI>`), mode);
  return {
    ask,
    exec: (text) => command("Exec", text),
    configuration: (text) => command("Configuration", text),
  };
}

async function show(agent: Agent, command: string, ctx: Context): Promise<string> {
  const answer = await agent.request(`<CLI><Exec>${escapeXml(command)}</Exec></CLI>`, ctx);
  return readCommand(command, readAnswer(answer), "Exec");
}
