/** Junos CLI commands. Over NETCONF the device does not apply pipes, so they are implemented here. */
import {
  type Context,
  type NetconfSession,
  PluginError,
  userPattern,
  type XmlElement,
  xml,
} from "patchbay/plugin";
import { readDeviceJson } from "../../../shared/device-json.ts";

export async function runCommand(session: NetconfSession, command: string, ctx: Context): Promise<string> {
  const { sent, filters } = parseCommand(command);
  const { root } = await session.rpc(xml("command", { format: "text" }, sent), {}, ctx);
  return filters.reduce((text, filter) => filter(text), textOf(root));
}

/** @throws PluginError DriverError if the output is not JSON */
export async function runJsonCommand(
  session: NetconfSession,
  command: string,
  ctx: Context,
): Promise<unknown> {
  const { root } = await session.rpc(xml("command", { format: "json" }, command), {}, ctx);
  const text = root.textOf() || textOf(root);
  try {
    return readDeviceJson(text);
  } catch (error) {
    if (error instanceof PluginError) throw error;
    throw new PluginError("DriverError", `The device's response to "${command}" is not JSON.`, {
      command,
      output: text.slice(0, 2_000),
    });
  }
}

/** Joins the outputs of several routing engines, each under its name. */
function textOf(reply: XmlElement): string {
  const items = reply.descendants("multi-routing-engine-item");
  if (items.length === 0) return withoutFrame(outputOf(reply));
  return items
    .map((item) => `${item.textOf("re-name")}:\n${"-".repeat(74)}\n${withoutFrame(outputOf(item))}`)
    .join("\n\n");
}

function outputOf(around: XmlElement): string {
  for (const name of ["output", "configuration-output", "configuration-text", "configuration-set"]) {
    const [element] = around.descendants(name);
    if (element !== undefined) return element.text;
  }
  return around.children.find((child) => child.name !== "re-name")?.text ?? around.text;
}

/** Line breaks between the element and its text. */
const withoutFrame = (text: string) => text.replace(/^\n/, "").replace(/\s+$/, "");

type Filter = (text: string) => string;

const filterMakers: Readonly<Record<string, (argument: string) => Filter>> = {
  match: (argument) => byLine(argument, true),
  except: (argument) => byLine(argument, false),
  find: (argument) => {
    const pattern = patternOf(argument);
    return (text) => {
      const lines = text.split("\n");
      const at = lines.findIndex((line) => pattern.test(line));
      return at < 0 ? "\nPattern not found" : lines.slice(at).join("\n");
    };
  },
  last: (argument) => {
    const lines = countOf("last", argument || "10");
    return (text) => text.split("\n").slice(-lines).join("\n");
  },
  trim: (argument) => {
    const columns = countOf("trim", argument);
    return (text) =>
      text
        .split("\n")
        .map((line) => line.slice(columns))
        .join("\n");
  },
  count: () => (text) => `Count: ${text === "" ? 0 : text.split("\n").length} lines`,
};

/** Pipes that change files or sessions, on the device or elsewhere. */
const refusedPipes: ReadonlySet<string> = new Set(["save", "append", "tee", "request"]);

function parseCommand(command: string): { readonly sent: string; readonly filters: readonly Filter[] } {
  const [base = "", ...pipes] = partsOf(command);
  const sent = [base];
  const filters: Filter[] = [];
  for (const pipe of pipes) {
    const [, name = "", argument = ""] = /^(\S+)\s*(.*)$/.exec(pipe) ?? [];
    if (refusedPipes.has(name))
      throw new PluginError(
        "DriverError",
        `"| ${name}" is not supported: the output is returned as the result of the job.`,
        {
          command,
          outcome: "none",
        },
      );
    const make = filterMakers[name];
    if (make === undefined) sent.push(pipe);
    else filters.push(make(argument.replace(/^"(.*)"$/, "$1")));
  }
  return { sent: sent.join(" | "), filters };
}

/** Splits a command at its pipes, except within quotes. */
function partsOf(command: string): string[] {
  const parts = [""];
  for (const piece of command.split(/("[^"]*"|\|)/))
    if (piece === "|") parts.push("");
    else parts.push(`${parts.pop()}${piece}`);
  return parts.map((part) => part.trim());
}

function byLine(argument: string, keepsMatches: boolean): Filter {
  const pattern = patternOf(argument);
  return (text) =>
    text
      .split("\n")
      .filter((line) => pattern.test(line) === keepsMatches)
      .join("\n");
}

function countOf(name: string, argument: string): number {
  if (/^\d{1,6}$/.test(argument)) return Number(argument);
  throw new PluginError("DriverError", `"| ${name}" needs a number.`, { outcome: "none" });
}

/** Junos matches case-insensitively. */
function patternOf(argument: string) {
  return userPattern(eitherCase(argument), "the pattern after |");
}

function eitherCase(source: string): string {
  let pattern = "";
  let inClass = false;
  for (let at = 0; at < source.length; at++) {
    const char = source.charAt(at);
    if (char === "\\") pattern += char + source.charAt(++at);
    else if (inClass) {
      const range = /^([a-z])-([a-z])/i.exec(source.slice(at));
      if (range !== null) {
        pattern += bothCases(range[0]);
        at += 2;
      } else pattern += bothCases(char);
      inClass = char !== "]";
    } else {
      pattern += /[a-z]/i.test(char) ? `[${bothCases(char)}]` : char;
      inClass = char === "[";
    }
  }
  return pattern;
}

function bothCases(text: string): string {
  const [lower, upper] = [text.toLowerCase(), text.toUpperCase()];
  return lower === upper ? text : lower + upper;
}
