/** Questions of keyboard-interactive: each gets its own answer or none, and none that is echoed by mistake. */
import { generateKeyPairSync } from "node:crypto";
import { type AddressInfo, connect } from "node:net";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { secret } from "../../../../src/base/secrets/secret.ts";
import { replyTo, shownQuestion } from "../../../../src/device/ssh/login/questions.ts";
import { type Prompt, Server } from "../../../../src/device/ssh/ssh2.ts";
import type { SshTarget } from "../../../../src/plugin/kit/ssh.ts";
import { failure, newSsh, scopeOf, targetOf, withoutPassword } from "../support.ts";

const secrets = { username: "admin", password: "the-password", otp: undefined, answers: [] };
const reply = (prompt: string, echo = false, more: object = {}) =>
  replyTo({ prompt, echo }, { ...secrets, ...more });

const passwords = [
  "Password:",
  "password: ",
  "Password for admin@core1:",
  "Password for otp-user@token-server: ",
  "(admin@verify.example) Password: ",
  "admin's password:",
  "admin@code1's password: ",
  "[sudo] password for admin: ",
  "Passwort: ",
  "Kennwort für admin:",
  "Mot de passe : ",
  "Contraseña: ",
  "Senha:",
  "Hasło: ",
  "Пароль: ",
  "密码：",
  "パスワード: ",
  "암호: ",
  "LDAP Password: ",
  "Enter passphrase: ",
  "Enter PASSCODE: ",
  "First Factor: ",
  "",
  ": ",
];
const others = [
  "Verification code: ",
  "Passcode or option (1-3): ",
  "One-time password (OATH) for `admin': ",
  "Second Factor (optional): ",
  "YubiKey for `admin': ",
  "Enter Your Microsoft verification code",
  "Token: ",
  "OTP: ",
  "PIN: ",
  "Response:",
  "Einmalpasswort: ",
  "Which colour is the sky? ",
];
const changes = [
  "New password: ",
  "Retype new password: ",
  "(current) UNIX password: ",
  "Enter password again: ",
];

describe("a question", () => {
  test.each(passwords)("%j is for the password, if nothing is echoed", (prompt) => {
    expect(reply(prompt)).toBe("the-password");
    expect(reply(prompt, true)).toBeUndefined();
  });
  test.each(others)("%j never gets the password, but a code", (prompt) => {
    for (const echo of [true, false]) {
      expect(reply(prompt, echo)).toBeUndefined();
      expect(reply(prompt, echo, { otp: "123456" })).toBe("123456");
    }
  });
  test.each(changes)("%j is the begin of a change of the password and gets nothing", (prompt) => {
    expect(reply(prompt, false, { otp: "123456" })).toBeUndefined();
  });
  test("for the user, or for a consent, is answered as before", () => {
    expect(reply("login: ", true)).toBe("admin");
    expect(reply("Username:", true)).toBe("admin");
    expect(reply("Do you accept and acknowledge the statement above ? (yes/no) : ", true)).toBe("yes");
  });
  test("gets the caller's own answer first, also where it is echoed", () => {
    const answers = [{ question: /^Password:/, reply: secret("own") }];
    expect(reply("Password: ", true, { answers, otp: "1" })).toBe("own");
    expect(reply("Enter PASSCODE: ", false, { otp: "123456" })).toBe("123456");
  });
  test("is quoted on one line, without control characters, and not without end", () => {
    expect(shownQuestion({ prompt: " Duo\r\n\u001b[31m1. Push\u0007 ", echo: true })).toBe("Duo [31m1. Push");
    expect(shownQuestion({ prompt: "x".repeat(5000), echo: true })).toHaveLength(201);
  });
});

describe("a server with a second factor", () => {
  const hostKey = generateKeyPairSync("rsa", {
    modulusLength: 2048,
    privateKeyEncoding: { type: "pkcs1", format: "pem" },
    publicKeyEncoding: { type: "spki", format: "pem" },
  }).privateKey;
  const rounds: Prompt[][] = [
    [{ prompt: "Password: ", echo: false }],
    [{ prompt: "Duo two-factor login\r\n\r\n1. Push\r\n\r\nPasscode or option (1-3): ", echo: true }],
  ];
  const heard: string[] = [];
  let methods: ("keyboard-interactive" | "password")[] = ["keyboard-interactive", "password"];
  let server: Server;
  let target: SshTarget;
  beforeAll(async () => {
    server = new Server({ hostKeys: [hostKey] }, (connection) => {
      connection.on("error", () => {});
      connection.on("authentication", (login) => {
        if (login.method !== "keyboard-interactive") return login.reject(methods);
        const ask = (round: number) => {
          const prompts = rounds[round];
          if (prompts === undefined) return login.accept();
          login.prompt(prompts, (replies) => {
            heard.push(...replies);
            ask(round + 1);
          });
        };
        ask(0);
      });
      connection.on("ready", () => {
        connection.on("tcpip", (accept, _reject, { destPort }) => {
          const channel = accept();
          const socket = connect(destPort, "127.0.0.1");
          socket.on("error", () => {});
          socket.pipe(channel).pipe(socket);
        });
      });
    });
    await new Promise<void>((resolve) => void server.listen(0, "127.0.0.1", resolve));
    const { port } = server.address() as AddressInfo;
    target = targetOf({ host: "127.0.0.1", port, user: "admin", password: "the-password" });
  });
  afterAll(() => void server.close());

  async function login(changes: Partial<SshTarget>): Promise<string[]> {
    heard.length = 0;
    const connection = await newSsh().connect({ ...target, ...changes }, scopeOf(30_000));
    connection.destroy();
    return [...heard];
  }

  test("gets the password and the code, each for its own question", async () => {
    expect(await login({ otp: secret("123456") })).toEqual(["the-password", "123456"]);
    const answers = [{ question: /option \(1-3\)/, reply: secret("1") }];
    expect(await login({ answers })).toEqual(["the-password", "1"]);
  });

  test("gets no secret for a question without an answer, which the error quotes", async () => {
    methods = ["keyboard-interactive"];
    const error = await failure(login({}));
    expect(error).toMatchObject({ kind: "AuthenticationFailed" });
    expect(error.message).toContain('"Duo two-factor login 1. Push Passcode or option (1-3):"');
    expect(error.message).toContain("connection_args.otp");
    expect(heard).toEqual(["the-password"]);
    heard.length = 0;
    const bare = await failure(
      newSsh().connect({ ...withoutPassword(target), otp: secret("1") }, scopeOf(30_000)),
    );
    expect(bare.kind).toBe("AuthenticationFailed");
    expect(heard).not.toContain("the-password");
  });

  test("as a jump host gets its own code", async () => {
    const hop = { ...target, otp: secret("111111") };
    expect(await login({ via: hop, otp: secret("222222") })).toEqual([
      "the-password",
      "111111",
      "the-password",
      "222222",
    ]);
  });
});
