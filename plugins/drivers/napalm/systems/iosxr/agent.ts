/** The XML agent of an IOS XR router: sends requests and parses replies. */
import type { Context, SshConnection, XmlElement } from "patchbay/plugin";
import { PluginError, parseXml } from "patchbay/plugin";
import { sshTargetOf, type Tools } from "../../connection.ts";
import { createTerminal, type Terminal } from "./terminal.ts";

export interface Agent {
  /** CLI prompt shown before the agent starts. */
  readonly prompt: string;
  /**
   * Sends a request with this content and returns the reply's text; `readAnswer` parses it.
   * @param quietMs limit of the router's silence, if longer than the connection's timeout
   * @throws PluginError ConnectionLost, ReadTimeout, OutputTooLarge
   */
  request(inside: string, ctx: Context, quietMs?: number): Promise<string>;
  alive(): boolean;
  close(): Promise<void>;
}

const window = { cols: 511, rows: 24 };

export async function openAgent(tools: Tools, ctx: Context): Promise<Agent> {
  const profile = tools.platform("cisco_xr").legacySsh ? "legacy" : "modern";
  const connection = await tools.ssh.connect(await sshTargetOf(tools, profile), ctx);
  try {
    const channel = await connection.shell(window, ctx);
    const { timeoutMs } = tools.connection;
    const terminal = createTerminal(channel, timeoutMs);
    const prompt = await enter(terminal, ctx);
    return createAgent({ connection, terminal, prompt, timeoutMs });
  } catch (error) {
    await connection.close();
    throw error;
  }
}

interface Parts {
  readonly connection: SshConnection;
  readonly terminal: Terminal;
  readonly prompt: string;
  readonly timeoutMs: number;
}

function createAgent({ connection, terminal, prompt, timeoutMs }: Parts): Agent {
  return {
    prompt,
    async request(inside, ctx, quietMs = 0) {
      const line = `<?xml version="1.0" encoding="UTF-8"?><Request MajorVersion="1" MinorVersion="0">${inside}</Request>\n`;
      const text = await terminal.exchange(line, isWhole, ctx, Math.max(quietMs, timeoutMs));
      const answer = answerIn(text);
      if (answer !== undefined) return answer;
      await terminal.close();
      throw new PluginError("ConnectionLost", `The router left the XML agent unexpectedly: ${excerpt(text)}`);
    },
    alive: () => terminal.alive() && connection.alive(),
    async close() {
      await terminal.close();
      await connection.close();
    },
  };
}

const atAgent = /(?:^|\n)XML>[ \t]*$/;
const atCommandLine = /(?:^|\n)(?!XML>)([^\s<]*[\w)][#>])[ \t]*$/;
const refusedAgent =
  /%\s?(?:Invalid|Incomplete|Unrecognized|Ambiguous|Bad|This command|Permission)|not authorized/i;

/** Waits for the CLI prompt, then starts the agent. */
async function enter(terminal: Terminal, ctx: Context): Promise<string> {
  const greeting = await terminal.exchange("", (text) => atCommandLine.test(text), ctx);
  const prompt = atCommandLine.exec(greeting)?.[1] ?? "";
  const entered = (text: string) =>
    atAgent.test(text) || (refusedAgent.test(text) && atCommandLine.test(text));
  const output = await terminal.exchange("xml\n", entered, ctx);
  if (atAgent.test(output)) return prompt;
  throw new PluginError(
    "DriverError",
    `The router did not start its XML agent, which requires \`xml agent tty\` in the configuration. Its output: ${excerpt(output)}`,
    { outcome: "none" },
  );
}

/** Whether the text is a complete reply, or the agent's error for a request, followed by the prompt. */
function isWhole(text: string): boolean {
  const begin = text.indexOf("<Response");
  const end = begin < 0 ? -1 : text.lastIndexOf("</Response>");
  if (begin >= 0)
    return (
      end > begin && /^\s*(?:\S.*\n)*.*[>#][ \t]*$/.test(text.slice(end + "</Response>".length).slice(-400))
    );
  return (/\bERROR: 0x/.test(text) && atAgent.test(text)) || leftAgent(text);
}

/** Whether the CLI prompt has returned. */
function leftAgent(text: string): boolean {
  const last = text.slice(text.lastIndexOf("\n") + 1);
  return /^RP\/\S+[#>][ \t]*$/.test(last) || /^[\w.:/-]+#[ \t]*$/.test(last);
}

/** The reply without the echo of the request, prompts and messages around it. */
function answerIn(text: string): string | undefined {
  const begin = text.indexOf("<Response");
  const end = text.lastIndexOf("</Response>");
  if (begin >= 0 && end > begin) return text.slice(begin, end + "</Response>".length).replace(logLines, "");
  return /ERROR: 0x[^\n]*/.exec(text)?.[0];
}

/** Log messages that the router prints on every terminal during a reply. */
const logLines = /^(?:RP|LC)\/\d+\/\S+:\s?\S[^<\n]*: %[A-Z0-9_]+-[^<\n]*\n/gm;

function excerpt(text: string): string {
  return JSON.stringify(text.trim().slice(-300));
}

/** @throws PluginError CommandError if the router refused the request; DriverError if the text is not a reply */
export function readAnswer(text: string): XmlElement {
  if (text.startsWith("ERROR:")) throw refusal(text.trim());
  const response = parseXml(text);
  if (response.name !== "Response")
    throw new PluginError(
      "DriverError",
      `The router responded with <${response.name}> instead of <Response>.`,
    );
  if (response.attribute("IteratorID") !== undefined)
    throw new PluginError(
      "DriverError",
      "The router splits its responses: configure `xml agent tty iteration off` on it.",
    );
  const fault = text.includes("ErrorCount") || text.includes("ErrorMsg") ? faultIn(response) : undefined;
  if (fault !== undefined) throw refusal(fault.message, fault.code);
  return response;
}

interface Fault {
  readonly message: string;
  readonly code: string;
}

function faultIn(response: XmlElement): Fault | undefined {
  const count = Number(response.find("ResultSummary")?.attribute("ErrorCount") ?? 0);
  const found = firstFault(response);
  if (found !== undefined) return found;
  return count > 0 ? { message: `${count} errors without a message`, code: "" } : undefined;
}

function firstFault(element: XmlElement): Fault | undefined {
  const message = element.attribute("ErrorMsg");
  if (message !== undefined) return { message: message.trim(), code: element.attribute("ErrorCode") ?? "" };
  for (const child of element.children) {
    const found = firstFault(child);
    if (found !== undefined) return found;
  }
  return undefined;
}

function refusal(message: string, code = ""): PluginError {
  return new PluginError("CommandError", `The router refused the request: ${message}`, {
    output: message,
    ...(code === "" ? {} : { code: code.toLowerCase() }),
  });
}

/**
 * The output of a command.
 * @throws PluginError CommandError
 */
export function readCommand(command: string, response: XmlElement, mode: "Exec" | "Configuration"): string {
  const output = response.textOf(`CLI/${mode}`);
  if (!/^\s*% ?(?:Invalid input|Incomplete command|Ambiguous command)/m.test(output)) return output;
  throw new PluginError("CommandError", `The router refused "${command}": ${output}`, {
    command,
    output,
  });
}
