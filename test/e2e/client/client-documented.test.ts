/** The transcripts of docs/reference/client.md match a real terminal; `TRANSCRIPTS=write` regenerates them. */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import process from "node:process";
import { afterAll, beforeAll, expect, test } from "vitest";
import { adminKey, type Service, startService } from "../../../src/testkit/service.ts";
import { addressOf, type Fleet, startFleet } from "../fleet.ts";
import { type Operator, operator } from "../terminal.ts";

const page = "docs/reference/client.md";
let service: Service;
let fleet: Fleet;
let someone: Operator;
beforeAll(async () => {
  [service, fleet] = await Promise.all([
    startService(),
    startFleet(200, { 7: { password: "another-one" }, 77: { faults: { dropAfter: 40 } }, 177: "absent" }),
  ]);
  someone = operator();
  writeFileSync(join(someone.home, "devices.csv"), readFileSync(fleet.inventory));
  writeFileSync(join(someone.home, "ntp.cfg"), "ntp server 192.0.2.53\nntp server 192.0.2.54\n");
  writeFileSync(join(someone.home, "vlan.j2"), "vlan {{ id }}\n name {{ name }}\n");
  writeFileSync(join(someone.home, "ntp.j2"), "ntp server {{ vars.ntp }}{{ ' prefer' if prefer }}\n");
  writeFileSync(join(someone.home, "ntp.yaml"), "prefer: true\n");
  await service.call("POST", "/inventory/device", {
    devices: fleet.devices.slice(0, 2).map((device, at) => ({
      ...{ name: `sw00${at + 1}`, host: addressOf(at + 1), port: device?.port },
      ...{ driver: "netmiko", platform: "cisco_ios", vars: { ntp: `192.0.2.${53 + at}` } },
    })),
  });
});
afterAll(() => Promise.all([service.stop(), fleet.stop()]));

/** Expected output, and the input that follows. */
type Dialogue = readonly (readonly [sees: string, typed: string])[];

const password: Dialogue = [["Password of admin:", "device-password-1\r"]];
let bulk = "";

/** Runs each command in a terminal; returns the command with its output. */
async function session(command: string, dialogue: Dialogue = [], code = 0): Promise<string> {
  const words = command.replaceAll("<bulk>", bulk).match(/'[^']*'|\S+/g) ?? [];
  const args = words
    .slice(1)
    .map((word) => word.replaceAll("'", "").replace("http://127.0.0.1:9000", service.url));
  const run = someone.at(args.map(withPort), { columns: 110 });
  for (const [sees, typed] of dialogue) {
    await run.sees(sees);
    run.type(typed);
  }
  expect(await run.ended).toBe(code);
  bulk = /Bulk (\S+):/.exec(run.text())?.[1] ?? bulk;
  return `$ ${command.replaceAll("<bulk>", "01a1fb87-…")}\n${settled(run.text())}`;
}

/** As on the page: addresses of devices without their varying ports. */
const withPort = (word: string) =>
  word.replace(`${addressOf(1)}`, `${addressOf(1)}:${fleet.devices[0]?.port}`);

/** Normalises what varies between runs, and the redrawn progress line. */
function settled(text: string): string {
  return text
    .replace(/\r\n/g, "\n")
    .replace(/^[^\n]*\r\x1b\[K/gm, "")
    .replace(/\x1b\[\d+m/g, "")
    .replace(/[\da-f]{8}-[\da-f]{4}-7[\da-f]{3}-[\da-f-]{17}/g, "01a1fb87-…")
    .replace(/\b[\da-f]{64}\b/g, "5f0c9a…")
    .replaceAll(service.url, "http://127.0.0.1:9000")
    .replaceAll(someone.home, "/home/ops")
    .replace(/ in \d+ (?:s|min \d+ s)\./g, " in 2 s.")
    .replace(/ \d+\.\d\d s( dry run: .*)?$/gm, " 0.04 s$1")
    .replace(/\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\+00:00/g, "2026-11-22 09:30:00+00:00")
    .replace(/ +$/gm, "")
    .trimEnd();
}

const sessions: Readonly<Record<string, () => Promise<string>>> = {
  login: async () =>
    [
      await session("patchbay login http://127.0.0.1:9000 --name lab", [["API key of", `${adminKey}\r`]]),
      await session("patchbay context"),
    ].join("\n"),
  run: () => session(`patchbay run ${addressOf(1)} --user admin -c 'show clock' 'show privilege'`, password),
  fleet: () =>
    session("patchbay run @devices.csv --user admin --output-dir outputs -- show version", password, 1),
  bulk: async () =>
    [
      await session("patchbay bulk <bulk>", [], 1),
      await session("patchbay bulk <bulk> --export csv --output bulk.csv"),
    ].join("\n"),
  push: () =>
    session(
      `patchbay push ${addressOf(1)} ntp.cfg --user admin --type cisco_ios --ask-secret --ticket CHG-7`,
      [["Enable password", "enable-secret-1\r"], ...password, ["Type yes:", "yes\r"]],
    ),
  template: () =>
    session(
      "patchbay push sw001,sw002 --template ntp.j2 --vars ntp.yaml --user admin --ask-secret --save --concurrency 1",
      [["Enable password", "enable-secret-1\r"], ...password, ["Type yes:", "yes\r"]],
    ),
  "as-change": () => session("patchbay push sw001,sw002 ntp.cfg --as-change --ticket CHG-7"),
  render: () => session("patchbay render vlan.j2 --var id=7 name=users"),
};

test.each(Object.keys(sessions))("the documented transcript %s matches the output", async (name) => {
  const seen = (await sessions[name]?.()) ?? "";
  const text = readFileSync(page, "utf8");
  const block = new RegExp(`(<!-- transcript: ${name} -->\n\`\`\`console\n)([\\s\\S]*?)(\n\`\`\`\n)`);
  expect(text).toMatch(block);
  if (process.env.TRANSCRIPTS === "write")
    writeFileSync(
      page,
      text.replace(block, (_whole, before, _old, after) => before + seen + after),
    );
  else expect(seen).toBe(block.exec(text)?.[2]);
});
