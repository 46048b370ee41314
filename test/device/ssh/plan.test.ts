/** The order of authentication attempts, against behaviour that no sshd shows. */
import { describe, expect, test } from "vitest";
import { type Credentials, planLogin } from "../../../src/device/ssh/login/auth.ts";
import type { AnyAuthMethod } from "../../../src/device/ssh/ssh2.ts";

const credentials: Credentials = {
  username: "admin",
  password: "device-password",
  otp: undefined,
  answers: [],
  keys: [],
  found: [],
  unusable: [],
  doubts: [],
  agent: undefined,
  keysFirst: false,
  asksInShell: false,
};

/** Attempts against a server that rejects everything and lists `accepts` each time. */
function attempts(accepts: readonly string[], changes: Partial<Credentials> = {}): string[] {
  const plan = planLogin(
    { ...credentials, ...changes },
    () => {},
    () => {},
  );
  const tried: string[] = [];
  let left: readonly string[] | null = null;
  for (let round = 0; round < 10; round++) {
    let over = false;
    plan.next(left, left === null ? null : false, (attempt) => {
      if (attempt === false) over = true;
      else tried.push(String(Reflect.get(attempt, "type")));
    });
    if (over) return tried;
    left = accepts;
  }
  return tried;
}

describe("login with the method none", () => {
  test("is tried if the server accepts nothing else", () => {
    expect(attempts(["none"])).toEqual(["password", "none"]);
    expect(attempts([])).toEqual(["password", "none"]);
    expect(attempts([""])).toEqual(["password", "none"]);
  });

  test("is not tried if the server accepts another method", () => {
    expect(attempts(["password"])).toEqual(["password"]);
    expect(attempts(["publickey"])).toEqual(["password"]);
    expect(attempts(["publickey", "keyboard-interactive"])).toEqual(["password", "keyboard-interactive"]);
  });

  test("is tried first, and once, if the shell is known to ask for the login", () => {
    expect(attempts(["password"], { asksInShell: true })).toEqual(["none", "password"]);
    expect(attempts(["none"], { asksInShell: true })).toEqual(["none"]);
  });

  test("is the only attempt without credentials", () => {
    expect(attempts(["password"], { password: undefined })).toEqual(["none"]);
  });
});

test("keyboard-interactive prompts for user, password and confirmation each get their answer", () => {
  const plan = planLogin(
    credentials,
    () => {},
    () => {},
  );
  const made: AnyAuthMethod[] = [];
  for (const left of [null, ["keyboard-interactive"]]) {
    plan.next(left, left === null ? null : false, (attempt) => {
      if (attempt !== false) made.push(attempt);
    });
  }
  const answers: string[][] = [];
  const prompts = [
    { prompt: "login: ", echo: true },
    { prompt: "Password: ", echo: false },
    { prompt: "Do you accept and acknowledge the statement above ? (yes/no) : ", echo: true },
  ];
  for (const attempt of made) {
    if (attempt.type !== "keyboard-interactive") continue;
    attempt.prompt("", "", "", prompts, (given) => answers.push(given));
  }
  expect(answers).toEqual([["admin", "device-password", "yes"]]);
});
