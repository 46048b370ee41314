/** The driver's `connection_args`: prompt, keys, jump host; file transfers; the connection test. */
import { writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import plugin from "../../../plugins/drivers/netmiko/plugin.ts";
import type { FileTransfers } from "../../../src/device/cli/files.ts";
import { checked, type OpenedWith, opened } from "./support.ts";

test("connection_args.prompt is text or a safe regular expression", async () => {
  const { targets } = await opened({ connection: { prompt: "R1# (lab" } });
  expect(targets[0]?.prompt).toBe("R1# (lab");
  await expect(checked(plugin.connection, connectionWith("(a+)+\\1x"))).rejects.toThrow("could run forever");
  await expect(checked(plugin.connection, connectionWith(""))).rejects.toThrow("must not be empty");
});

function connectionWith(prompt: string) {
  return { device_type: "test_ios", host: "h", username: "u", password: "p", prompt };
}

describe("a connection of the netmiko driver", () => {
  test("returns its prompt, device_type and host in a connection test", async () => {
    const { session, ctx } = await opened();
    expect(await session.describe?.(ctx)).toEqual({
      prompt: "R1#",
      device_type: "test_ios",
      host: "10.0.0.1",
    });
  });

  test("reads key files through the guard and follows the platform's SSH settings", async () => {
    await writeFile(join(tmpdir(), "netmiko-test-key"), "PEM-canary");
    const { targets } = await opened({
      connection: {
        key_file: "netmiko-test-key",
        passphrase: "phrase-canary",
        proxy_host: "jump",
        proxy_password: "x",
      },
      platform: { legacySsh: true, loginAs: "{username}+ct" },
    });
    const [target] = targets;
    expect(target?.ssh).toMatchObject({
      username: "admin+ct",
      profile: "legacy",
      via: { host: "jump", username: "admin", profile: "modern" },
    });
    expect(target?.ssh.keys?.[0]?.pem.reveal()).toBe("PEM-canary");
    expect(JSON.stringify(targets)).not.toContain("canary");
  });

  test("tells the shell the user if the platform logs in with a fixed SSH account", async () => {
    const login = [
      { ask: /User:$/, reply: "{username}" },
      { ask: /Password:$/, reply: "{password}" },
    ];
    const [target] = (await opened({ platform: { loginAs: "cli", login } })).targets;
    expect(target?.username).toBe("admin");
    expect(target?.ssh).toMatchObject({ username: "cli", asksInShell: true });
    const [usual] = (await opened()).targets;
    expect(usual?.username).toBeUndefined();
    expect(usual?.ssh.asksInShell).toBeUndefined();
  });

  test("uses the line end and encoding given in the request", async () => {
    const { device, query, targets } = await opened({
      connection: { default_enter: "\r", encoding: "latin-1" },
      device: { outputs: { "show clock": "10:00\n" } },
    });
    expect(targets[0]?.platform).toMatchObject({ newline: "\r", encoding: "latin1" });
    expect(await query(["show clock"])).toEqual([{ command: "show clock", output: "10:00" }]);
    expect(device.stream.written.at(-1)).toBe("show clock\r");
    for (const wrong of [{ default_enter: "x" }, { encoding: "klingon" }]) {
      const connection = { device_type: "test_ios", host: "h", username: "u", password: "p", ...wrong };
      await expect(checked(plugin.connection, connection)).rejects.toThrow(
        /must be|is not a known character set/,
      );
    }
  });

  test("transfers a file and checks its hash on the device", async () => {
    const moved: unknown[] = [];
    const files: FileTransfers = {
      async move(...all) {
        moved.push(all.filter((argument) => typeof argument !== "object" || !("signal" in argument)));
        return { bytesTransferred: 5, totalBytes: 5, resumed: false, sha256: "aa" };
      },
      hash: async () => "d41d8cd98f00b204e9800998ecf8427e",
    };
    const hash = {
      algorithm: "md5" as const,
      command: "verify /md5 {path}",
      match: /= ([0-9a-f]{32})/i,
    };
    const scripted: OpenedWith = {
      files,
      platform: { files: { by: ["scp"], hash } },
      device: {
        outputs: {
          "verify /md5 flash:a.bin": "verify /md5 (flash:a.bin) = D41D8CD98F00B204E9800998ECF8427E\n",
          "verify /md5 flash:b.bin": "verify /md5 (flash:b.bin) = 00000000000000000000000000000000\n",
        },
      },
    };
    const { query } = await opened(scripted);
    const file = { operation: "upload", local_path: "a.bin", remote_path: "flash:a.bin", resume: true };
    expect(await query(["__FILE_TRANSFER__"], { file_transfer: file })).toEqual([
      {
        command: "file_transfer_upload",
        output: {
          output: "File transfer completed: 5/5 bytes",
          error: "",
          exit_status: 0,
          transfer_result: expect.objectContaining({ success: true, sha256: "aa", verified: true }),
        },
      },
    ]);
    expect(moved).toEqual([["upload", "/srv/transfer/a.bin", "flash:a.bin", "scp", { resume: true }]]);
    await expect(
      query(["__FILE_TRANSFER__"], { file_transfer: { ...file, remote_path: "flash:b.bin" } }),
    ).rejects.toMatchObject({ kind: "CommandError", message: expect.stringContaining("differs") });
    await expect(
      query(["__FILE_TRANSFER__"], { file_transfer: { ...file, remote_path: "flash:a;reload" } }),
    ).rejects.toMatchObject({ kind: "DriverError" });
    await expect(query(["show clock"], { file_transfer: file })).rejects.toMatchObject({
      kind: "DriverError",
    });
    await expect(
      query(["__FILE_TRANSFER__"], { file_transfer: { ...file, local_path: "../etc/shadow" } }),
    ).rejects.toMatchObject({ kind: "Forbidden" });
  });
});
