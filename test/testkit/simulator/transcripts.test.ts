/** Transcripts: file names, redactions, and `patchbay capture` from a simulated device. */
import { execFile } from "node:child_process";
import { mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import process from "node:process";
import { promisify } from "node:util";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { redact } from "../../../src/base/secrets/redact.ts";
import { tempFolder } from "../../../src/testkit/service.ts";
import { readTranscripts, transcriptFile } from "../../../src/testkit/simulator/transcripts.ts";
import { binary } from "../../e2e/binary.ts";
import { simulated } from "../../e2e/devices.ts";
import { programs } from "../../e2e/programs.ts";

const commandText = fc.string({ unit: "grapheme", minLength: 1, maxLength: 40 });

test("each command has its own file name, from which it is read again", () => {
  const folder = tempFolder();
  let runs = 0;
  fc.assert(
    fc.property(commandText, (command) => {
      const run = join(folder, String(runs++));
      mkdirSync(run);
      writeFileSync(join(run, transcriptFile(command)), "text");
      expect(readTranscripts(run)).toEqual([[command, "text"]]);
    }),
    { numRuns: 100 },
  );
  expect(transcriptFile("show ip interface brief")).toBe("show_ip_interface_brief.txt");
  expect(transcriptFile("show interface Gi0/1")).toBe("show_interface_Gi0%2F1.txt");
});

test.each([
  "enable secret 5 $1$CANARY$CANARYCANARY",
  "username admin privilege 15 password 0 CANARY",
  "snmp-server community CANARY RO",
  "snmp-agent community read cipher %^%#CANARYCANARY%^%#",
  " key 7 CANARY0822455D0A16",
  "radius-server key CANARY",
  'set system root-authentication encrypted-password "$6$CANARY$CANARY"; ## SECRET-DATA',
  "    set password ENC CANARY==",
  "password: CANARY",
  "neighbor 192.0.2.1 password 7 CANARY",
  "local-user admin password irreversible-cipher $1c$CANARY$",
  "ip ssh pubkey ssh-rsa AAAAB3NzaC1yc2ECANARYAAAADAQAB",
  "-----BEGIN RSA PRIVATE KEY-----\nCANARY\n-----END RSA PRIVATE KEY-----",
])("secrets are removed from %j", (text) => {
  expect(redact(text)).not.toContain("CANARY");
  expect(redact(text)).toContain("<removed>");
});

test.each([
  "The password-recovery mechanism is enabled.",
  "interface GigabitEthernet0/1\n ip address 192.0.2.1 255.255.255.0",
  "crypto key generate rsa",
])("%j is not redacted", (text) => expect(redact(text)).toBe(text));

describe.each(programs)("patchbay capture from %s", (how) => {
  const program = async () => (how === "binary" ? [await binary()] : [process.execPath, "src/main.ts"]);

  test.each([
    ["ssh", "cisco_ios"],
    ["telnet", "cisco_ios_telnet"],
  ] as const)(
    "over %s writes transcripts that a simulated device replays, without passwords",
    async (transport, platform) => {
      const source = tempFolder();
      const folder = join(source, "recorded");
      const config = "hostname SW1\nsnmp-server community canary-17 RO\nenable secret 5 $1$abcd$canary\nend";
      writeFileSync(join(source, "show_running-config.txt"), config);
      writeFileSync(join(source, "show_inventory.txt"), "label device-password-1");
      writeFileSync(join(source, "password"), "device-password-1\n");
      writeFileSync(join(source, "secret"), "enable-secret-1\n");
      const device = await simulated("cisco_ios", { transcripts: source, transport });
      const files = [
        "--password-file",
        join(source, "password"),
        "--secret-file",
        join(source, "secret"),
        "--folder",
        folder,
      ];
      const target = [
        "--platform",
        platform,
        "--host",
        "127.0.0.1",
        "--port",
        String(device.port),
        "--username",
        "admin",
      ];
      const commands = ["show running-config", "show inventory", "show version"];
      const run = async (...asked: string[]) => {
        const [file = "", ...first] = await program();
        return promisify(execFile)(file, [...first, "capture", ...target, ...files, ...asked], {
          cwd: process.cwd(),
        });
      };
      await run(...commands);
      await device.stop();
      expect(readdirSync(folder).sort()).toEqual(commands.map(transcriptFile).sort());
      const all = Object.fromEntries(readTranscripts(folder));
      expect(JSON.stringify(all)).not.toMatch(/canary|device-password/);
      expect(all["show running-config"]).toContain("snmp-server community <removed> RO");
      expect(all["show version"]).toContain("Configuration register is 0xF");
      const failed = await run("show clock").catch((error) => error);
      expect(failed).toMatchObject({ code: 1, stderr: expect.stringContaining("Nothing was recorded") });
    },
  );
});
