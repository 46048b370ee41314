/** NETCONF messages: both hellos, the RPC, and the reply with its errors. */
import { messageOf, ServiceError } from "../../base/errors.ts";
import { parseXml, type XmlElement } from "../../base/xml/xml.ts";
import { XmlFragment, xml } from "../../base/xml/xml-write.ts";
import type { NetconfError } from "../../plugin/kit/netconf.ts";

const namespace = "urn:ietf:params:xml:ns:netconf:base:1.0";
const base10 = "urn:ietf:params:netconf:base:1.0";
const base11 = "urn:ietf:params:netconf:base:1.1";
const declaration = '<?xml version="1.0" encoding="UTF-8"?>\n';

export function clientHello(capabilities: readonly string[], chunked: boolean): string {
  const all = [base10, ...(chunked ? [base11] : []), ...capabilities];
  const list = all.map((uri) => xml("capability", {}, uri));
  return `${declaration}${xml("hello", { xmlns: namespace }, xml("capabilities", {}, ...list))}`;
}

export interface ServerHello {
  readonly version: "1.0" | "1.1";
  readonly sessionId: string;
  readonly capabilities: readonly string[];
}

/** @throws ServiceError DriverError if it is not a hello */
export function readHello(text: string, chunked: boolean): ServerHello {
  // Some devices print a login banner before it.
  const begin = text.search(/<(?:\?xml|!DOCTYPE|(?:[\w.-]+:)?hello\b)/);
  const noHello = (why: string) =>
    new ServiceError("DriverError", `The device does not speak NETCONF: ${why}.`, {
      output: text.slice(0, toldChars),
    });
  if (begin < 0) throw noHello("its first message is not a hello");
  let root: XmlElement;
  try {
    root = parseXml(text.slice(begin));
  } catch (error) {
    throw noHello(`its hello cannot be read (${messageOf(error)})`);
  }
  if (root.name !== "hello") throw noHello(`its first message is <${root.name}>, not <hello>`);
  const capabilities = root.all("capabilities/capability").map((element) => element.textOf());
  const sessionId = root.textOf("session-id");
  if (!/^\d+$/.test(sessionId)) throw noHello("its hello has no session-id");
  if (chunked && capabilities.includes(base11)) return { version: "1.1", sessionId, capabilities };
  if (capabilities.includes(base10)) return { version: "1.0", sessionId, capabilities };
  throw noHello("its hello has no supported version of the base protocol (1.0, 1.1)");
}

export function call(messageId: number, operation: XmlFragment): string {
  return declaration + xml("rpc", { xmlns: namespace, "message-id": messageId }, operation).source;
}

export const closeSession = new XmlFragment("<close-session/>");

/** Length of the quote from unreadable text. */
const toldChars = 500;

/** All `rpc-error` elements of a reply, including nested ones, as Junos sends them. */
export function errorsOf(root: XmlElement): NetconfError[] {
  return root.descendants("rpc-error").map((error) => ({
    severity: error.textOf("error-severity") === "warning" ? "warning" : "error",
    type: error.textOf("error-type"),
    tag: error.textOf("error-tag"),
    message: error.textOf("error-message"),
    path: error.textOf("error-path"),
    badElement: error.textOf("error-info/bad-element"),
    sessionId: error.textOf("error-info/session-id"),
    ...lineOf(error),
  }));
}

function lineOf(error: XmlElement): { line?: number } {
  const line = Number.parseInt(error.descendants("line-number")[0]?.textOf() ?? "", 10);
  return line > 0 ? { line } : {};
}

/** One readable sentence. */
export function shownError({ message, tag, path, badElement, sessionId }: NetconfError): string {
  const where = [
    badElement === "" ? "" : `at "${badElement}"`,
    path.replace(/\s+/g, " "),
    tag === "lock-denied" && sessionId !== "" ? `session ${sessionId}` : "",
  ].filter((part) => part !== "");
  const what = (message === "" ? tag || "no reason given" : message).replace(/\s+/g, " ").slice(0, toldChars);
  return where.length === 0 ? what : `${what} (${where.join(", ").slice(0, toldChars)})`;
}
