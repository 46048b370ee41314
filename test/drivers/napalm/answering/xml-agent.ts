/** IOS XR's XML agent in an SSH terminal that answers with given texts. */
import type { AddressInfo } from "node:net";
import { pause } from "../../../../src/base/time/deadline.ts";
import { parseXml, type XmlElement } from "../../../../src/base/xml/xml.ts";
import { type Connection, Server, type ServerChannel } from "../../../../src/device/ssh/ssh2.ts";
import { makeKeyPair } from "../../../../src/testkit/simulator/hostkey.ts";
import { type AnsweringDevice, type Answers, login } from "./answers.ts";

const commandPrompt = "RP/0/RSP0/CPU0:XR1#";
const agentPrompt = "XML> ";
const thinkMs = 15;

/** `Get/Operational/ARP`, with the values of its names: `VRFName=red`. */
function nameOf(element: XmlElement): string {
  const [child, ...more] = element.children;
  if (child === undefined)
    return element.text.trim() === "" ? element.name : `${element.name}=${element.text.trim()}`;
  if (more.length === 0) return `${element.name}/${nameOf(child)}`;
  return `${element.name}(${element.children.map(nameOf).join(" ")})`;
}

const refusal =
  '<Get ErrorCode="0x43679000" ErrorMsg="&apos;XMLMDA&apos; detected the &apos;warning&apos; condition: &apos;No data&apos;"/>';

export async function startXmlAgent(answers: Answers): Promise<AnsweringDevice> {
  const asked: string[] = [];
  const clients = new Set<Connection>();

  /** @returns the reply to a request */
  function answer(text: string): string {
    const names = parseXml(text).children.map(nameOf).join(", ");
    asked.push(names);
    const inside = answers.to(names)?.trim();
    return `<?xml version="1.0" encoding="UTF-8"?>\n<Response MajorVersion="1" MinorVersion="0">\n${inside ?? refusal}\n<ResultSummary ErrorCount="${inside === undefined ? 1 : 0}"/></Response>\n`;
  }

  function serve(channel: ServerChannel): void {
    let inAgent = false;
    let pending = "";
    const write = (text: string) => {
      const output = text.replaceAll("\n", "\r\n");
      const middle = output.length >> 1;
      channel.write(output.slice(0, middle));
      setTimeout(() => channel.write(output.slice(middle)), 1);
    };
    const next = async (request: string) => {
      await pause(thinkMs);
      if (inAgent) return write(answer(request) + agentPrompt);
      inAgent = request.trim() === "xml";
      write(`${request}\n${inAgent ? agentPrompt : commandPrompt}`);
    };
    channel.on("data", (chunk: Buffer) => {
      pending += chunk.toString("utf8").replaceAll("\r", "\n");
      const end = inAgent ? pending.indexOf("</Request>") : pending.indexOf("\n");
      if (end < 0) return;
      const length = inAgent ? end + "</Request>".length : end + 1;
      const request = pending.slice(0, length).trim();
      pending = "";
      void next(request);
    });
    write(`\n\n${commandPrompt}`);
  }

  const server = new Server({ hostKeys: [makeKeyPair().private] }, (client) => {
    clients.add(client);
    client.on("error", () => {});
    client.on("close", () => clients.delete(client));
    client.on("authentication", (request) =>
      request.method === "password" && request.password === login.password
        ? request.accept()
        : request.reject(["password"]),
    );
    client.on("session", (accept) => {
      const session = accept();
      session.on("pty", (accepted) => accepted?.());
      session.on("shell", (accepted) => serve(accepted()));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    port: (server.address() as AddressInfo).port,
    asked,
    close() {
      server.close();
      for (const client of clients) client.end();
    },
  };
}
