/** `otp` and `answers` of each driver over SSH: validated, secret, and given to the device and to its jump hosts. */
import { describe, expect, test } from "vitest";
import * as napalm from "../../../../plugins/drivers/napalm/connection.ts";
import * as netmiko from "../../../../plugins/drivers/netmiko/connection.ts";
import * as paramiko from "../../../../plugins/drivers/paramiko/connection.ts";
import { answersOf } from "../../../../plugins/drivers/shared/ssh/login-answers.ts";
import { revealed } from "../../../../src/base/secrets/mask.ts";
import type { Schema } from "../../../../src/plugin/kit/kit.ts";

const login = { host: "r1", username: "u", password: "p" };
const schemas: [string, Schema, object][] = [
  ["paramiko", paramiko.connection, {}],
  ["netmiko", netmiko.connection, { device_type: "cisco_ios" }],
  ["napalm", napalm.connection, { device_type: "ios" }],
];

describe.each(schemas)("%s", (_name, schema, more) => {
  const parse = async (fields: object) => schema["~standard"].validate({ ...login, ...more, ...fields });

  test("takes a code and replies, as secrets, also of jump hosts", async () => {
    const answers = { "option \\(1-3\\)": "reply-one" };
    const given = await parse({
      otp: "code-device",
      answers,
      proxy_host: [{ host: "j1", otp: "code-hop", answers: { x: "reply-two" } }],
    });
    expect(given.issues).toBeUndefined();
    const hidden = revealed("value" in given ? given.value : undefined);
    for (const text of ["code-device", "reply-one", "code-hop", "reply-two"]) expect(hidden).toContain(text);
    const one = await parse({ proxy_host: "j1", proxy_otp: "code-hop", proxy_answers: answers });
    expect(revealed("value" in one ? one.value : undefined)).toEqual(
      expect.arrayContaining(["code-hop", "reply-one"]),
    );
    const asText = await parse({ answers: JSON.stringify(answers) });
    expect(revealed("value" in asText ? asText.value : undefined)).toContain("reply-one");
  });

  test.each([[{ "(": "x" }], [{ "": "x" }], [{ a: "two\nlines" }], ["no JSON"], [{ a: 1 }]])(
    "refuses %j",
    async (answers) => {
      expect((await parse({ answers })).issues).toBeDefined();
    },
  );
});

test("a question with nested repetition is matched in linear time", () => {
  const { answers: [answer] = [] } = answersOf({ answers: { "^(a+)+$": { reveal: () => "x" } as never } });
  expect(answer?.question.test(`${"a".repeat(200)}!`)).toBe(false);
});
