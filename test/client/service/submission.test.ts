/** Command line options become request bodies of bulks; secrets come from anywhere but flags. */
import { describe, expect, test } from "vitest";
import { secret } from "../../../src/base/secrets/secret.ts";
import { readPairs } from "../../../src/client/input/pairs.ts";
import { prepareBulks } from "../../../src/client/service/submission.ts";

const environment = { contextsFile: "", noColor: false, dumb: false };
function terminal(...answers: string[]) {
  const prompts: string[] = [];
  const answer = async (question: string) => {
    prompts.push(question);
    return answers.shift() ?? "";
  };
  return { asked: prompts, terminal: { isAttended: true, ask: answer, askHidden: answer } };
}
const unattended = { isAttended: false, ask: async () => "", askHidden: async () => "" };
const r1 = { fields: { host: "r1" } };

test("the client prompts for an unknown login and password", async () => {
  const { asked, terminal: here } = terminal("admin", "word");
  const [bulk] = await prepareBulks([r1], {}, { environment, context: undefined, terminal: here });
  expect(asked).toEqual(["Login of the devices: ", "Password of admin: "]);
  expect(bulk).toEqual({
    driver: "netmiko",
    connection_args: { device_type: "autodetect", username: "admin", password: "word" },
    devices: [{ host: "r1" }],
  });
});

test("the client does not prompt for what it knows", async () => {
  const login = { ...environment, username: "env", password: secret("p"), deviceType: "cisco_ios" };
  const inputs = { environment: login, context: undefined, terminal: unattended };
  const [bulk] = await prepareBulks([r1], { user: "flag", port: "2222", arg: ["timeout=9"] }, inputs);
  expect(bulk?.connection_args).toEqual({
    device_type: "cisco_ios",
    port: 2222,
    username: "flag",
    password: "p",
    timeout: 9,
  });
  const reference = { credential: { name: "env", ref: "core" } };
  const own = { fields: { host: "r2", ...reference } };
  const [byReference] = await prepareBulks([own], {}, { ...inputs, environment });
  expect(byReference?.connection_args).toEqual({ device_type: "autodetect" });
  const [shared] = await prepareBulks([r1], { credential: "env:core" }, { ...inputs, environment });
  expect(shared?.connection_args).toEqual({ device_type: "autodetect", ...reference });
});

test("devices of another driver become a separate bulk", async () => {
  const devices = [r1, { driver: "other", fields: { host: "r2" } }, { fields: { host: "r3" } }];
  const flags = { user: "u", password: false };
  const bulks = await prepareBulks(devices, flags, { environment, context: undefined, terminal: unattended });
  expect(bulks.map(({ driver, devices: some }) => [driver, some.length])).toEqual([
    ["netmiko", 2],
    ["other", 1],
  ]);
  expect(bulks[1]?.connection_args).toEqual({ username: "u" });
});

describe("a submission is rejected", () => {
  const inputs = { environment, context: undefined, terminal: unattended };
  test("without a login and without a terminal to prompt on", async () => {
    await expect(prepareBulks([r1], {}, inputs)).rejects.toThrow("No login is configured");
    await expect(prepareBulks([r1], { user: "u" }, inputs)).rejects.toThrow("No password is configured");
  });

  test.each(["password=x", "secret=x", "passphrase=x", "api_token=x"])(
    "with the secret %s as a flag",
    (pair) => {
      expect(() => readPairs([pair], "--arg")).toThrow("flags are visible in process lists");
    },
  );

  test("with a malformed name=value pair", () => {
    expect(() => readPairs(["timeout"], "--arg")).toThrow("not of the form name=value");
    expect(readPairs(["a=1", "b=true", "c=[1,2]", "d=1.2.3", "e="], "--arg")).toEqual({
      a: 1,
      b: true,
      c: [1, 2],
      d: "1.2.3",
      e: "",
    });
  });
});
