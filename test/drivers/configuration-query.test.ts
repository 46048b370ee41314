import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import napalm from "../../plugins/drivers/napalm/plugin.ts";
import netmiko from "../../plugins/drivers/netmiko/plugin.ts";
import paramiko from "../../plugins/drivers/paramiko/plugin.ts";
import pyeapi from "../../plugins/drivers/pyeapi/plugin.ts";
import { filesCommand, isFilesCommand, queryOf } from "../../plugins/drivers/shared/configuration-query.ts";
import { builtins } from "../../plugins/index.ts";
import { cleanLines } from "../../src/configtext/clean.ts";
import { filesIn } from "../../src/configtext/files.ts";
import type { PlatformPlugin } from "../../src/plugin/index.ts";

const find = (name: string): PlatformPlugin | undefined =>
  builtins.find(
    (plugin): plugin is PlatformPlugin =>
      plugin.kind === "platform" && (plugin.name === name || plugin.aliases?.includes(name) === true),
  );
const all = ["running", "startup", "set"] as const;

describe("the query that shows a configuration", () => {
  it("has the commands of the platform, and reads each part from its output", () => {
    const query = netmiko.shows?.({ platform: "juniper_junos", parts: all, find });
    expect(query).toMatchObject({
      commands: ["show configuration", "show configuration | display set"],
      parts: ["running", "set"],
    });
    expect(query?.textsOf(["system {\n}\n", "set system\n"])).toEqual([
      { part: "running", command: "show configuration", text: "system {\n}\n" },
      { part: "set", command: "show configuration | display set", text: "set system\n" },
    ]);
    expect(query?.textsOf(["system {\n}\n"]).map(({ part }) => part)).toEqual(["running"]);
  });

  it("takes the second command of a part if the device refuses the first", () => {
    const platform = find("mikrotik_routeros");
    const query = queryOf(
      [
        { part: "running", command: "/export show-sensitive" },
        { part: "running", command: "/export" },
      ],
      { platform },
    );
    const refusal = "expected end of command (line 1 column 9)\n";
    expect(query?.textsOf(["/ip dns\n", "/ip dns\n# hidden\n"])[0]?.text).toBe("/ip dns\n");
    expect(query?.textsOf([refusal, "/ip dns\n"])[0]).toMatchObject({
      command: "/export",
      text: "/ip dns\n",
    });
    expect(query?.textsOf([refusal, refusal])[0]?.text).toBe(refusal);
  });

  it("is made for platforms without data in the style that they follow, or not at all", () => {
    const of = (platform: string | null) => netmiko.shows?.({ platform, parts: all, find })?.commands;
    expect(of("a10")).toEqual(["show running-config"]);
    expect(of("accedian")).toBeUndefined();
    expect(of("no_such")).toBeUndefined();
    expect(of(null)).toBeUndefined();
  });

  it("of napalm is one call, whole and with secrets", () => {
    const of = (platform: string, parts: readonly (typeof all)[number][]) =>
      napalm.shows?.({ platform, parts, find });
    expect(of("ios", all)).toMatchObject({
      args: { kwargs: { get_config: { retrieve: "all", full: false, sanitized: false } } },
      parts: ["running", "startup"],
      platform: { name: "cisco_ios" },
    });
    expect(of("junos", ["running"])?.textsOf([{ running: "a", startup: "", candidate: "" }])).toEqual([
      { part: "running", command: "get_config", text: "a" },
    ]);
    expect(of("junos", ["startup"])).toBeUndefined();
    expect(of("junos", ["running"])?.textsOf([null])).toEqual([]);
    expect(of("iosxr_netconf", ["running"])?.platform).toBeUndefined();
    expect(of("vyos", ["running"])).toBeUndefined();
  });

  it("of pyeapi asks for text", () => {
    const query = pyeapi.shows?.({ platform: null, parts: all, find });
    expect(query).toMatchObject({ args: { encoding: "text" }, parts: ["running", "startup"] });
  });

  it("of paramiko is one command that may be repeated", () => {
    const query = paramiko.shows?.({ platform: null, parts: all, find });
    expect(query?.parts).toEqual(["running"]);
    expect(query?.textsOf([{ output: "# end of files\n", error: "", exit_status: 0 }])[0]?.text).toBe(
      "# end of files\n",
    );
    const repeatable = (commands: readonly string[]) => paramiko.repeatable?.("query", {}, commands);
    expect(repeatable(query?.commands ?? [])).toBe(true);
    expect(repeatable([...(query?.commands ?? []), "reboot"])).toBe(false);
  });
});

describe("the command that shows files", () => {
  it("is recognized, and no command that only begins like it", () => {
    const command = filesCommand(["/etc/hosts", "/etc/netplan/*.yaml", "/etc/a b"], "named");
    expect(isFilesCommand(command)).toBe(true);
    expect(isFilesCommand(`${command} /etc/more`)).toBe(true);
    for (const more of ["; reboot", " $(reboot)", " '/a'`b`", "\nreboot", " 'a'$x", " >/x", "x", " "])
      expect(isFilesCommand(command + more)).toBe(false);
  });

  it("shows what is there, in order, and ends with its mark", () => {
    const folder = mkdtempSync(join(tmpdir(), "shown-files-"));
    try {
      mkdirSync(`${folder}/d d`);
      writeFileSync(`${folder}/d d/b.conf`, "no line end");
      writeFileSync(`${folder}/d d/a.conf`, "auto lo\n");
      writeFileSync(`${folder}/it's`, "x\n");
      const files = ["absent", "it's", "d d", "d d/*.conf", "none/*"].map((name) => `${folder}/${name}`);
      const show = (as: "named" | "usual") =>
        execFileSync("/bin/sh", ["-c", filesCommand(files, as)], { encoding: "utf8" });
      const shown = show("usual").replace(/^\w{12} /gm, "# ");
      const inFolder = `# file: ${folder}/d d/a.conf\nauto lo\n\n# file: ${folder}/d d/b.conf\nno line end\n`;
      expect(shown).toBe(`# file: ${folder}/it's\nx\n\n${inFolder}${inFolder}# end of files\n`);
      // One that was asked for by name must be there.
      expect(show("named").replace(/^\w{12} /gm, "# ")).toBe(
        `# refused: ${folder}/absent is absent\n${shown}`,
      );
    } finally {
      rmSync(folder, { recursive: true });
    }
  });

  it("shows no line of a file as the name of another file, as the end, or as a refusal", () => {
    const folder = mkdtempSync(join(tmpdir(), "shown-files-"));
    try {
      const other = "# file: /root/.ssh/authorized_keys";
      const plain = `${other}\nkey\n#${other}\n# end of files\n# refused: all\n`;
      // What terminals and pagers show of a line is not all of it.
      const drawn = `x\r${other}\n#\x00 file: /a\n\u0085${other}\n\x1b[2K${other}\n--More--${other}\n`;
      writeFileSync(`${folder}/a`, plain);
      writeFileSync(`${folder}/b`, drawn);
      // Some shells would make a line end and a slash of it.
      writeFileSync(`${folder}/c\\n# file: \\0057root`, "x\n");
      const command = filesCommand([folder], "named");
      const query = queryOf([{ part: "running", command }], { platform: undefined });
      const output = execFileSync("/bin/sh", ["-c", command], { encoding: "utf8" });
      const [shown] = query?.textsOf([output]) ?? [];
      const text = cleanLines(shown?.text ?? "").join("\n");
      const files = filesIn(text);
      expect([...(files?.keys() ?? [])]).toEqual(
        ["a", "b", "c\\n# file: \\0057root"].map((name) => `${folder}/${name}`),
      );
      expect(files?.get(`${folder}/a`)).toBe(plain);
      expect(text.match(/^# (?:end of files|refused: ).*$/gm)).toEqual(["# end of files"]);
    } finally {
      rmSync(folder, { recursive: true });
    }
  });
});
