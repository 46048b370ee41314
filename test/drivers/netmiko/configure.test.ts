/** Pushes of the driver to an in-memory device: the transcript, refused lines, levels and saves. */
import { describe, expect, test } from "vitest";
import { router } from "../../device/cli/router-platform.ts";
import { opened } from "./support.ts";

describe("a push of the netmiko driver", () => {
  test("returns one entry: the pushed text and the transcript", async () => {
    const { configure, device } = await opened();
    const [entry] = await configure(["vlan 5\nvlan 6", "vlan 7"], { save: true });
    expect(entry?.command).toBe("vlan 5\nvlan 6\nvlan 7");
    expect(entry?.output).toBe(
      "configure terminal\nEnter configuration commands, one per line.  End with CNTL/Z.\n" +
        "R1(config)#vlan 5\nR1(config)#vlan 6\nR1(config)#vlan 7\nR1(config)#end\n" +
        "R1#write memory\nBuilding configuration...\n[OK]\nR1#",
    );
    expect(device.saved).toBe(true);
  });

  test("fails at a refused line with the transcript so far", async () => {
    const { configure } = await opened();
    await expect(configure(["vlan 5", "nonsense"])).rejects.toMatchObject({
      kind: "CommandError",
      detail: {
        command: "nonsense",
        sent: ["vlan 5", "nonsense"],
        partial: [{ command: "vlan 5\nnonsense", output: expect.stringContaining("R1(config)#nonsense\n") }],
      },
    });
  });

  test("sends all lines with ignore_errors, and uses error_pattern instead of the platform's", async () => {
    const { configure } = await opened();
    const [entry] = await configure(["nonsense", "vlan 5"], { ignore_errors: true });
    expect(entry?.output).toContain("% Invalid input");
    await configure(["nonsense"], { error_pattern: "^never$" });
    await expect(configure(["vlan 5"], { error_pattern: "^.*vlan" })).resolves.toBeDefined();
  });

  test("sends nothing with dry_run if there is no candidate", async () => {
    const { configure, device } = await opened();
    const before = device.lines.length;
    expect(await configure(["vlan 5", "vlan 6"], { dry_run: true })).toEqual([
      { command: "vlan 5\nvlan 6", output: "vlan 5\nvlan 6" },
    ]);
    expect(device.lines.length).toBe(before);
  });

  test("honours enter_config_mode and config_mode_command", async () => {
    const { configure, device } = await opened();
    const [plain] = await configure(["terminal monitor"], { enter_config_mode: false });
    expect(plain?.output).toBe("terminal monitor\nR1#");
    await expect(configure(["vlan 5"], { config_mode_command: "configure replace" })).rejects.toMatchObject({
      kind: "CommandError",
      message: expect.stringContaining("Failed to enter configuration mode"),
    });
    expect(device.lines).toContain("configure replace");
  });

  test("reports if the platform has no save command", async () => {
    const { save: _none, ...base } = router;
    const { configure } = await opened({ base });
    const [entry] = await configure(["vlan 5"], { save: true });
    expect(entry?.output).toMatch(/% Not saved: test_ios has no save command\.$/);
  });

  test("does not enable if enable_mode is false", async () => {
    const { configure } = await opened({ device: { start: "exec" }, connection: { enable_mode: false } });
    await expect(configure(["vlan 5"])).rejects.toMatchObject({
      kind: "CommandError",
      message: expect.stringContaining("enable_mode is false"),
    });
  });

  test("without a secret types nothing at an enable password prompt", async () => {
    const { configure, device } = await opened({ device: { start: "exec", secret: "sesame" } });
    const refused = await configure(["vlan 5"]).catch((error) => error);
    expect(refused).toMatchObject({ kind: "AuthenticationFailed" });
    // There is no result, and no line has output.
    expect(refused.detail.partial).not.toEqual([expect.anything()]);
    expect(device.lines.at(-1)).toBe("enable");
  });
});
