/** What getters of eos ask through: each command is asked once in a job. */
import type { Context } from "patchbay/plugin";
import type { Method } from "../../methods.ts";
import type { Answers, Getter as GetterOf } from "../../system.ts";
import type { Collector } from "./collector.ts";

export interface EosDevice {
  /** Structures, one for each command. @throws PluginError CommandError: the switch refused a command */
  json(...commands: readonly string[]): Promise<readonly unknown[]>;
  /** Texts, one for each command. */
  text(...commands: readonly string[]): Promise<readonly string[]>;
}

export type Getter<M extends Method> = GetterOf<EosDevice, M>;

/** @param ask what nobody has asked before in this job */
export function createDevice(ask: Collector, answers: Answers, ctx: Context): EosDevice {
  const questions = (commands: readonly string[], format: "json" | "text") =>
    Promise.all(
      commands.map((command) =>
        answers.structure(format === "json" ? `${command} | json` : command, () => ask(command, format, ctx)),
      ),
    );
  return {
    json: (...commands) => questions(commands, "json"),
    text: async (...commands) => (await questions(commands, "text")).map(String),
  };
}
