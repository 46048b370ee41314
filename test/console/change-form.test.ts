/** The form of a change as an API request. */
import * as v from "valibot";
import { describe, expect, test } from "vitest";
import { cannotReturn, changeRequest } from "../../src/api/changes/change.ts";
import { changeOf, checkRows, headerLines } from "../../src/console/pages/changes/change-form.ts";
import { otherWarningsOf } from "../../src/console/pages/changes/change-rules.ts";
import { asked } from "../../src/console/shapes/changes.ts";

const formData = (values: Readonly<Record<string, string | readonly string[]>>) => {
  const data = new FormData();
  for (const [name, value] of Object.entries(values))
    for (const one of [value].flat()) data.append(name, one);
  return data;
};
const lines = { name: "NTP", select: "tag:lab", operation: "config", lines: "ntp server 192.0.2.1" };
const read = (values: Parameters<typeof formData>[0], before?: object) =>
  v.parse(
    changeRequest,
    JSON.parse(JSON.stringify(changeOf(formData(values), before && v.parse(asked, before)))),
  );

describe("the form of a change", () => {
  test("asks for sentinels, questions, a hold and driver arguments", () => {
    const made = read({
      ...lines,
      hosts: "sw1\nsw2",
      driver_args: '{"save": true}',
      hold: "wave",
      sentinel: ["0", "3"],
      "sentinel.0.select": "role:route-server",
      "sentinel.0.checks":
        'show ip bgp summary not contains Idle\n{"command": "show clock", "at_least": 1, "expression": "$"}',
      "sentinel.3.devices": "rs1, rs2",
      "sentinel.3.checks": "after: show version unchanged",
      question: "1",
      "question.1.url": "https://monitor.example.net/alerts",
      "question.1.expression": "$count(body) = 0",
      "question.1.timeout_seconds": "5",
      "question.1.headers": "Authorization: Bearer a:b\nX-Site: berlin",
      "question.1.after": "on",
      inconclusive_seconds: "60",
    });
    expect(made).toMatchObject({
      ...{ devices: ["sw1", "sw2"], driver_args: { save: true }, hold: "wave" },
      sentinels: [
        {
          select: "role:route-server",
          checks: [
            { command: "show ip bgp summary", not_contains: "Idle" },
            { command: "show clock", at_least: 1, expression: "$" },
          ],
        },
        { devices: ["rs1", "rs2"], checks: [{ command: "show version", unchanged: true }] },
      ],
      strategy: {
        inconclusive_seconds: 60,
        questions: [
          {
            ...{ url: "https://monitor.example.net/alerts", expression: "$count(body) = 0" },
            ...{ timeout_seconds: 5, before: false },
            headers: { Authorization: "Bearer a:b", "X-Site": "berlin" },
          },
        ],
      },
    });
    expect(changeOf(formData({ ...lines, hold: "device" })).hold).toBeUndefined();
  });

  test("an edit keeps what the form has no field for, and drops the rows that were removed", () => {
    const before = {
      ...{ name: "NTP", select: "tag:lab", ttl: 90 },
      sentinels: [{ select: "role:a", checks: [{ command: "show clock", contains: ":" }] }],
      strategy: {
        concurrency: 7,
        questions: [
          { url: "https://a.example.net/", expression: "true" },
          { url: "https://b.example.net/", expression: "true", method: "POST", body: { q: 1 } },
        ],
      },
    };
    const row = { "question.1.url": "https://b.example.net/", "question.1.expression": "false" };
    const made = changeOf(
      formData({ name: "NTP", select: "tag:lab", operation: "config", question: "1", ...row }),
      v.parse(asked, before),
    );
    expect(made.sentinels).toBeUndefined();
    expect(made).toMatchObject({ ttl: 90, strategy: { concurrency: 7 } });
    expect(made.strategy).toHaveProperty("questions", [
      { url: "https://b.example.net/", expression: "false", method: "POST", body: { q: 1 } },
    ]);
  });

  test("gives back a version in place of lines, and lines in place of a version", () => {
    const restore = { ...lines, operation: "restore", lines: "", "restore.version": "3" };
    expect(read(restore)).toMatchObject({ restore: { version: 3 } });
    const before = { name: "NTP", select: "tag:lab", restore: { version: 3 } };
    expect(changeOf(formData(lines), v.parse(asked, before))).not.toHaveProperty("restore");
  });

  test("a check or header that cannot be read is named", () => {
    const wrong = { ...lines, sentinel: "0", "sentinel.0.checks": "show clock" };
    expect(() => changeOf(formData(wrong))).toThrow(/Check "show clock": write/);
    const header = { ...lines, question: "0", "question.0.headers": "no colon" };
    expect(() => changeOf(formData(header))).toThrow(/Headers: write each as Name: value/);
  });

  test("checks and headers are written as they are read", () => {
    const checks = [
      { command: "show clock", contains: ":" },
      { command: "show x", matches: "a", timeout: 1 },
    ];
    expect(checkRows(checks)).toBe('show clock contains :\n{"command":"show x","matches":"a","timeout":1}');
    expect(headerLines({ A: "b: c", D: "" })).toBe("A: b: c\nD: ");
    expect(headerLines(null)).toBe("");
  });
});

test("what cannot be returned stands beside its reasons, not also among the warnings", () => {
  const warnings = ["no check", `2 of 3 devices ${cannotReturn}: each device of the change says why`];
  expect(otherWarningsOf({ warnings })).toEqual(["no check"]);
});
