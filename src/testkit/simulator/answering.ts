/** Answers the show commands of a simulated device: a known answer with filters applied, or a refusal. */
import type { Device } from "./device.ts";
import { applyPipes } from "./pipes.ts";

export interface Reader {
  /** Whether the line is a show command; in configuration mode, only if the system accepts it there. */
  asks(line: string, configuring: boolean): boolean;
  answer(line: string, configuring: boolean): string;
}

const asksToSee = /^(show|display|get|info|list|print|do)\b/;
const running = /^(?:show|display) (?:running-config(?:uration)?|current-configuration|configuration)$/;
const saved = /^(?:show startup-config|show startup-configuration|display saved-configuration)$/;
const writable = ["show running-config", "show startup-config", "display current-configuration"];

export function createReader(device: Device): Reader {
  const { platform, answers } = device.options;
  const { pipes } = platform.simulated ?? {};
  /** Whether commands may be abbreviated. */
  const abbreviates = pipes !== undefined;
  const commands = [...answers.keys(), ...writable];

  function whole(command: string): string {
    if (!abbreviates || answers.has(command)) return command;
    const words = command.split(/\s+/);
    const fitting = commands.filter((candidate) => {
      const full = candidate.split(" ");
      return full.length === words.length && full.every((word, at) => word.startsWith(words[at] ?? " "));
    });
    return fitting.length === 1 ? (fitting[0] ?? command) : command;
  }

  function content(command: string): string | undefined {
    const text = answers.get(command);
    if (text !== undefined) return text.replaceAll("{hostname}", device.hostname);
    if (running.test(command)) return device.configuration.lines().join("\n");
    if (saved.test(command)) return device.startup.join("\n");
    return undefined;
  }

  return {
    // IOS requires `do` before a show command in configuration mode; others accept the command alone.
    asks: (line, configuring) =>
      (asksToSee.test(line) || (!configuring && answers.has(line))) &&
      !(configuring && pipes === undefined && !/^(?:show|display|do)\b/.test(line)),
    answer(line, configuring) {
      const does = /^do (.+)$/.exec(line)?.[1];
      if (does !== undefined && !configuring) return device.refusal;
      if (configuring && does === undefined && pipes === "ios") return device.refusal;
      const parts = applyPipes(does ?? line, pipes);
      const text = parts === undefined ? undefined : content(whole(parts.command));
      return text === undefined || parts === undefined ? device.refusal : parts.filter(text);
    },
  };
}
