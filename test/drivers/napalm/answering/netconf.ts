/**
 * Junos and IOS XR behind NETCONF over SSH that answer with given texts. A request is named by the operation and
 * what it selects: `configuration system/ntp`, `get interfaces/interfaces/interface`.
 */
import { parseXml, type XmlElement } from "../../../../src/base/xml/xml.ts";
import { base10, base11, ok, rpcError, startNetconfServer } from "../../../support/netconf-server.ts";
import { type AnsweringDevice, type Answers, login } from "./answers.ts";

/** `a/b/c`, as far as each element has one child. */
function pathOf(element: XmlElement): string {
  const [child, ...more] = element.children;
  const value = element.children.length === 0 && element.text.trim() !== "" ? `=${element.text.trim()}` : "";
  return child === undefined || more.length > 0
    ? `${element.name}${value}`
    : `${element.name}/${pathOf(child)}`;
}

const pathsBelow = (element: XmlElement | undefined): string =>
  (element?.children ?? []).map(pathOf).join(", ");

/** Without namespaces, and with the attributes in order. */
function written(element: XmlElement): string {
  const attributes = [...element.attributes]
    .filter(([name]) => name !== "xmlns")
    .sort()
    .map(([name, value]) => ` ${name}="${value}"`)
    .join("");
  const inside = element.children.map(written).join("") || element.text.trim();
  return inside === ""
    ? `<${element.name}${attributes}/>`
    : `<${element.name}${attributes}>${inside}</${element.name}>`;
}

function nameOfJunos(operation: XmlElement): string {
  if (operation.name === "get-configuration") {
    const format = operation.attribute("format");
    const database = operation.attribute("database") === "candidate" ? "candidate " : "";
    const paths = pathsBelow(operation.find("configuration"));
    return `${database}configuration ${format === undefined ? "" : `as ${format} `}${paths}`.trim();
  }
  return operation.name === "command" ? `command ${operation.text.trim()}` : written(operation);
}

function nameOfXr(operation: XmlElement): string {
  const filter = operation.find("filter");
  const source = operation.find("source")?.children[0]?.name;
  if (filter === undefined && source === undefined) return written(operation);
  return [operation.name, source, pathsBelow(filter)]
    .filter((part) => part !== undefined && part !== "")
    .join(" ");
}

/** The models that an answer uses must be those that the request names. */
function sameModels(operation: XmlElement, answer: string): boolean {
  const wanted = (operation.find("filter")?.children ?? []).map(({ namespace }) => namespace);
  const data = parseXml(`<rpc-reply>${answer}</rpc-reply>`).find("data");
  return (data?.children ?? []).every(({ namespace }) => wanted.includes(namespace));
}

async function startNetconf(
  answers: Answers,
  capabilities: readonly string[],
  nameOf: (operation: XmlElement) => string,
): Promise<AnsweringDevice> {
  const asked: string[] = [];
  const server = await startNetconfServer(
    () => ({
      capabilities,
      piece: 1500,
      rpc(operation, id, peer) {
        const name = nameOf(operation);
        asked.push(name);
        const answer = answers.to(name)?.trim();
        if (/^(?:(?:un)?lock|discard-changes)/.test(operation.name)) peer.reply(id, ok);
        else if (
          answer === undefined ||
          (operation.find("filter") !== undefined && !sameModels(operation, answer))
        )
          peer.reply(id, rpcError(`syntax error: no answer to ${name}`.replaceAll("<", "&lt;")));
        else peer.reply(id, answer);
      },
    }),
    { password: login.password },
  );
  return { port: server.port, asked, close: server.close };
}

/** Junos writes without base 1.1. */
export const startJunos = (answers: Answers) => startNetconf(answers, [base10], nameOfJunos);

/** Besides the base versions: the model of the fans, power supplies and temperatures of an NCS 5500. */
const xrModels = [
  "http://www.cisco.com/ns/yang/Cisco-IOS-XR-sysadmin-fretta-envmon-ui?module=Cisco-IOS-XR-sysadmin-fretta-envmon-ui&amp;revision=2018-05-22",
];

export const startXrNetconf = (answers: Answers) =>
  startNetconf(answers, [base10, base11, ...xrModels], nameOfXr);
