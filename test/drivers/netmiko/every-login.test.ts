/** Autodetection answers the login questions of every platform as the platform itself does. */
import { expect, test } from "vitest";
import { everyLogin } from "../../../plugins/drivers/netmiko/detect.ts";
import { builtins } from "../../../plugins/index.ts";
import generic from "../../../plugins/platforms/generic.ts";
import type { PlatformPlugin, Question } from "../../../src/plugin/index.ts";

const platforms = builtins.filter((plugin): plugin is PlatformPlugin => plugin.kind === "platform");
const every = everyLogin(generic.login, platforms);
const replyTo = (text: string, questions: readonly Question[]) =>
  questions.find(({ ask }) => ask.test(text))?.reply;

const asked = platforms.flatMap(({ name, login = [] }) =>
  login.flatMap(({ example }) => (example === undefined ? [] : [[name, example] as const])),
);

test.each(asked)("%s: %j", (name, example) => {
  const own = platforms.find((platform) => platform.name === name)?.login ?? [];
  const same = (reply: string | undefined) => reply?.toLowerCase().replace(/^yes$/, "y");
  expect(same(replyTo(example, every))).toBe(same(replyTo(example, own)));
});

test.each([
  "Your password has expired. Change it now? [y/n]: ",
  "Do you want to change the password? [Y/N]: ",
  "new password> ",
])("a question about a new password is never consented to: %j", (text) => {
  expect(replyTo(text, every)).not.toMatch(/^y/i);
});
