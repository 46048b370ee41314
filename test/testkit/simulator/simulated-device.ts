/** A simulated in-memory device: input and output. */
import { builtins } from "../../../plugins/index.ts";
import type { PlatformPlugin } from "../../../src/plugin/platform.ts";
import { loadAnswers } from "../../../src/testkit/simulator/answers.ts";
import { createDevice } from "../../../src/testkit/simulator/device.ts";
import { type Faults, withFaults } from "../../../src/testkit/simulator/faults.ts";
import { createTerminal } from "../../../src/testkit/simulator/terminal/terminal.ts";
import { createTerminalSession } from "../../../src/testkit/simulator/terminal/terminal-session.ts";
import type { Thinking } from "../../../src/testkit/simulator/terminal/thinking.ts";

export function platformNamed(name: string): PlatformPlugin {
  const platform = builtins.find(
    (plugin): plugin is PlatformPlugin => plugin.kind === "platform" && plugin.name === name,
  );
  if (platform === undefined) throw new Error(`no platform ${name}`);
  return platform;
}

export function simulatedDevice(named: string | PlatformPlugin, thinking: Thinking = 0, faults: Faults = {}) {
  const platform = typeof named === "string" ? platformNamed(named) : named;
  const writes: string[] = [];
  const line = withFaults({ write: (text) => void writes.push(text), close() {} }, faults, 0);
  const device = createDevice({
    platform,
    hostname: "R1",
    secret: "sesame",
    answers: loadAnswers(platform, undefined),
  });
  const terminal = createTerminal({
    platform,
    session: createTerminalSession(device),
    rows: 1000,
    thinking,
    write: line.write,
    entered() {},
    close: line.close,
  });
  terminal.start("");
  for (const { example, reply, newline } of platform.login ?? []) {
    if (example !== undefined) terminal.type(reply + (newline === false ? "" : "\n"));
  }
  const taken = () => writes.splice(0).join("");
  /** Types lines; returns the response to the last one, and the prompt after it. */
  function answer(...lines: readonly string[]): { output: string; prompt: string } {
    for (const typed of lines) {
      taken();
      terminal.type(`${typed}\n`);
    }
    const shown = taken().replaceAll("\r", "").split("\n").slice(1);
    return { output: shown.slice(0, -1).join("\n"), prompt: shown.at(-1) ?? "" };
  }
  return { terminal, writes, taken, answer, device, platform };
}
