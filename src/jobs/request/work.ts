/** Converts commands or configuration of a request to the form worker threads use. */

import type { ExecuteRequest, Payload } from "../../api/jobs/request.ts";
import { isGiven } from "../../base/json/members.ts";
import type { RawMembers } from "../../base/json/raw-members.ts";
import { controlsOf } from "../../plugin/controls.ts";
import type { DriverPlugin, PlatformPlugin } from "../../plugin/index.ts";
import { type TemplateMembers, withTemplateMembers } from "./template-members.ts";
import type { Issue } from "./validate.ts";

export interface RequestedWork {
  readonly request: Pick<ExecuteRequest, "command" | "config">;
  /** Raw member texts of the body and the path of `config`, to keep key order and number formats. */
  readonly raw: RawMembers;
  readonly configPath: readonly (string | number)[];
  /** Members the inventory adds to the template context. */
  readonly members?: TemplateMembers;
}

/** Control characters act on the device: those that the dialogues of its platform need are accepted. */
const controls = /[\0-\x08\x0b\x0c\x0e-\x1f\x7f]/g;

/** @param platform the platform that the request names */
export function workIssues(
  request: RequestedWork["request"],
  rendering: boolean,
  driver: DriverPlugin,
  platform: PlatformPlugin | undefined,
): Issue[] {
  const allowed = platform === undefined ? "" : controlsOf(platform);
  const query = isGiven(request.command);
  if (query === isGiven(request.config)) {
    const message = query
      ? "`command` and `config` cannot be combined"
      : "one of `command` and `config` is required";
    return [{ path: "command", message }];
  }
  if (query) return commandIssues(commandsOf(request.command), driver, allowed);
  const { config } = request;
  const isContext = isObject(config);
  if (isContext && !rendering && driver.objects !== true)
    return [{ path: "config", message: "an object is a template context and needs `rendering`" }];
  if (!isContext && rendering)
    return [{ path: "config", message: "must be an object, the context of `rendering`" }];
  return isContext
    ? []
    : textsOf(config).flatMap((line, at) => (holdsOther(line, allowed) ? [control(`config.${at}`)] : []));
}

function holdsOther(text: string, allowed: string): boolean {
  return text.match(controls)?.some((char) => !allowed.includes(char)) === true;
}

function commandIssues(
  commands: readonly (string | { send: string })[],
  driver: DriverPlugin,
  allowed: string,
): Issue[] {
  return commands.flatMap((command, at) => {
    const text = typeof command === "string" ? command : command.send;
    if (holdsOther(text, allowed)) return [control(`command.${at}`)];
    if (driver.commands === "lines" && /[\r\n]/.test(text))
      return [
        { path: `command.${at}`, message: "must be one line: a line break would start another command" },
      ];
    return [];
  });
}

const control = (path: string): Issue => ({
  path,
  message: "has control characters that the platform does not declare",
});

type Commands = NonNullable<Payload["commands"]>;

export function commandsOf(command: RequestedWork["request"]["command"]): Commands {
  return command === undefined || command === null ? [] : typeof command === "string" ? [command] : command;
}

function textsOf(config: RequestedWork["request"]["config"]): string[] {
  return (typeof config === "string" ? [config] : Array.isArray(config) ? config : []).map(String);
}

function isObject(config: RequestedWork["request"]["config"]): boolean {
  return typeof config === "object" && config !== null && !Array.isArray(config);
}

function linesOf(config: RequestedWork["request"]["config"], driver: DriverPlugin): string[] {
  const texts = textsOf(config);
  if (driver.configuration === "texts") return texts;
  const lines = texts.flatMap((text) => text.split(/\r\n|\n|\r/));
  // A trailing line ending is not an empty line.
  return lines.at(-1) === "" && lines.length > 1 ? lines.slice(0, -1) : lines;
}

/** An object as it was written. */
function writtenOf({ raw, configPath, request }: RequestedWork): string {
  return raw(configPath) ?? JSON.stringify(request.config);
}

export function workOf(
  input: RequestedWork,
  rendering: boolean,
  driver: DriverPlugin,
): Pick<Payload, "commands" | "lines" | "contextJson" | "renderedWhole"> {
  const { command, config } = input.request;
  if (isGiven(command)) return { commands: commandsOf(command) };
  if (!rendering) return { lines: isObject(config) ? [writtenOf(input)] : linesOf(config, driver) };
  return {
    contextJson: withTemplateMembers(writtenOf(input), input.members),
    ...(driver.configuration === "texts" ? { renderedWhole: true } : {}),
  };
}
