/** The query interface of the eos getters: sends each command once per job. */
import type { Context } from "patchbay/plugin";
import type { Method } from "../../methods.ts";
import type { Answers, Getter as GetterOf } from "../../system.ts";
import type { Collector } from "./collector.ts";

export interface EosDevice {
  /**
   * One structure per command.
   * @throws PluginError CommandError if the switch refused a command
   */
  json(...commands: readonly string[]): Promise<readonly unknown[]>;
  /** One text per command. */
  text(...commands: readonly string[]): Promise<readonly string[]>;
}

export type Getter<M extends Method> = GetterOf<EosDevice, M>;

/** @param ask sends commands that are not cached in this job */
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
