/** Texts of the history of configurations at a terminal and in a pipe. */
import { describe, expect, test } from "vitest";
import {
  countsOf,
  personOf,
  standingOf,
  structuredText,
  takenText,
  unifiedText,
} from "../../../src/client/output/history.ts";
import type { DeviceHistory } from "../../../src/client/rooms/history.ts";
import type { Job } from "../../../src/client/service/answers.ts";
import { jobRecord } from "../../http/doubles/records.ts";

const paint = (colour: string, text: string) => `<${colour}>${text}</>`;
const plain = (_colour: string, text: string) => text;

const device: DeviceHistory = {
  ...{ device: "ber-1", host: "192.0.2.1", group: null, platform: "cisco_ios", in_inventory: true },
  ...{
    versions: 0,
    latest: null,
    suspects: 0,
    last_good_at: null,
    failed_at: null,
    error: null,
    unsaved: null,
  },
};

describe("a device", () => {
  test.each([
    [{}, "missing"],
    [
      { suspects: 2, failed_at: "2026-01-31T08:00:00Z", error: "Timeout" },
      "missing, 2 suspects, failed: Timeout",
    ],
    [{ failed_at: "2026-01-31T08:00:00Z" }, "missing, failed"],
    [{ unsaved: true }, "missing, unsaved"],
  ])("with %j stands as %s", (fields, standing) => {
    expect(standingOf({ ...device, ...fields })).toBe(standing);
  });
});

test("a person is the one that the device names", () => {
  expect(personOf({ by_on_device: "alice", who: "nightly" })).toBe("alice");
  expect(personOf({ by_on_device: null, who: "nightly" })).toBe("nightly");
  expect(personOf({ by_on_device: null, who: null })).toBe("");
  expect(countsOf({ added: 4, removed: 0 })).toBe("+4 -0");
});

describe("a take", () => {
  const job = (result: Job["result"], warnings: string[] = []): Job => ({
    ...jobRecord(1),
    ...{ device: "ber-1", host: "192.0.2.1", result, warnings },
  });
  const output = { lines: 40, bytes: 900, sha256: "x" };

  test("tells each part", () => {
    const retval = {
      running: { ...output, state: "good", changed: true },
      startup: { ...output, state: "good", changed: false },
      set: { ...output, state: "suspect", changed: true, reason: "it ends\x1b[2J early" },
    };
    const warning = "the set configuration of ber-1 is suspect and not used as the latest: it ends early";
    const text = takenText(job({ type: "success", retval, error: null }, [warning, "other"]), {
      paint: plain,
    });
    expect(text).toBe(
      [
        "ber-1 (192.0.2.1) running: a new version, 40 lines",
        "ber-1 (192.0.2.1) startup: unchanged, 40 lines",
        "ber-1 (192.0.2.1) set: suspect: it ends^[[2J early, 40 lines",
        "warning: ber-1 (192.0.2.1): other\n",
      ].join("\n"),
    );
  });

  test("tells why it failed", () => {
    const error = { type: "Timeout", message: "No answer\x07." };
    expect(takenText(job({ type: "failed", retval: null, error }), { paint })).toBe(
      "<red>ber-1 (192.0.2.1): Timeout: No answer^G.</>\n",
    );
  });
});

describe("a difference by sections", () => {
  const changes = [
    { change: "within", text: "interface A\x1b[2J", depth: 0, from: 1, to: 1 },
    { change: "removed", text: " description old", depth: 1, from: 2 },
    { change: "added", text: " description new", depth: 1, to: 2 },
    { change: "moved", text: "ntp server 192.0.2.1", depth: 0, from: 9, to: 4 },
    { change: "added", text: "banner motd ^\nhello\n^", depth: 0, to: 5 },
  ] as const;

  test("stands below the lines that it belongs to, each line with its sign", () => {
    expect(structuredText({ changes: [...changes], cut: true }, { paint: plain }).split("\n")).toEqual([
      "  interface A^[[2J",
      "-   description old",
      "+   description new",
      "~ ntp server 192.0.2.1",
      "+ banner motd ^",
      "+ hello",
      "+ ^",
      "… and more: without --structured all is shown",
      "",
    ]);
  });
});

describe("a difference", () => {
  const text = "--- a/x\n+++ b/x\n@@ -1 +1 @@\n-old\x1b]0;x\x07\n+new\n same\n";

  test("is left as it is in a pipe, for programs", () => {
    expect(unifiedText({ unified: text }, { paint, columns: undefined })).toBe(text);
  });

  test("is coloured and inert at a terminal", () => {
    expect(unifiedText({ unified: text }, { paint, columns: 80 })).toBe(
      [
        "<bold>--- a/x</>",
        "<bold>+++ b/x</>",
        "<dim>@@ -1 +1 @@</>",
        "<red>-old^[]0;x^G</>",
        "<green>+new</>",
        " same\n",
      ].join("\n"),
    );
  });
});
