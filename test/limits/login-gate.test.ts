/** A bulk with a wrong password does not lock device accounts. */
import { describe, expect, test, vi } from "vitest";
import { ServiceError } from "../../src/base/errors.ts";
import { createLoginGate } from "../../src/limits/login-gate.ts";
import { accountNamed, type LoginGate } from "../../src/limits/port.ts";

const signal = new AbortController().signal;
const wrong = new ServiceError("AuthenticationFailed", "no");

test("100 jobs with a wrong password make three login attempts; the others fail as AuthBackoff", async () => {
  let now = 0;
  const gate = createLoginGate({ failures: 3, backoffMs: 1_000, perSecond: 0 }, () => now);
  let attempts = 0;
  const job = async () => {
    const pass = await gate.enter("r1", "u", signal);
    attempts++;
    await null;
    pass.failed(wrong);
    pass.leave();
  };
  const outcomes = await Promise.allSettled(Array.from({ length: 100 }, job));
  expect(attempts).toBe(3);
  expect(
    outcomes.filter((outcome) => outcome.status === "rejected" && outcome.reason.kind === "AuthBackoff"),
  ).toHaveLength(97);
  // Another user and another device are not affected.
  (await gate.enter("r1", "v", signal)).leave();
  (await gate.enter("r2", "u", signal)).leave();
  now = 1_001;
  await job();
  expect(attempts).toBe(4);
  await expect(job()).rejects.toMatchObject({
    kind: "AuthBackoff",
    message: expect.stringContaining("1 seconds"),
  });
});

describe("stored credentials, whose user is not known here", () => {
  const stored = (name: string) => accountNamed(undefined, { name, kept: true });

  test("are each an account of its own", async () => {
    const gate = createLoginGate({ failures: 1, backoffMs: 1_000, perSecond: 0 }, () => 0);
    const pass = await gate.enter("r1", stored("file:old"), signal);
    pass.failed(wrong);
    pass.leave();
    await expect(gate.enter("r1", stored("file:old"), signal)).rejects.toThrow(
      "The device r1 rejected the password of the credential file:old",
    );
    (await gate.enter("r1", stored("file:new"), signal)).leave();
    expect(accountNamed("admin", { name: "file:old", kept: true })).toBe("admin");
    expect(accountNamed(undefined, undefined)).toBe("");
  });

  test("are no account of a user who is called so", async () => {
    const gate = createLoginGate({ failures: 1, backoffMs: 1_000, perSecond: 0 }, () => 0);
    const pass = await gate.enter("r1", "the credential file:new", signal);
    pass.failed(wrong);
    pass.leave();
    (await gate.enter("r1", stored("file:new"), signal)).leave();
  });

  test("by many names of one user fail so often in all, at once or one after the other, until the back-off ends", async () => {
    let at = 0;
    const gate = createLoginGate({ failures: 3, backoffMs: 1_000, perSecond: 0 }, () => at);
    const good = await gate.enter("r1", stored("file:good"), signal);
    good.accepted();
    good.leave();
    let attempts = 0;
    const job = async (name: string) => {
      const pass = await gate.enter("r1", stored(name), signal);
      attempts++;
      await null;
      pass.failed(wrong);
      pass.leave();
    };
    const outcomes = await Promise.allSettled(Array.from({ length: 100 }, (_, n) => job(`env:${n}`)));
    expect(attempts).toBe(12);
    expect(outcomes.at(-1)).toMatchObject({
      reason: { kind: "AuthBackoff", message: expect.stringContaining("many credentials") },
    });
    await expect(job("env:another")).rejects.toMatchObject({ kind: "AuthBackoff" });
    // What the device took before is taken still, and so are other devices and named users.
    (await gate.enter("r1", stored("file:good"), signal)).leave();
    (await gate.enter("r1", "admin", signal)).leave();
    (await gate.enter("r2", stored("env:1"), signal)).leave();
    // One that it takes does not make room for others.
    for (at = 1_000; at < 1_005; at++) {
      const again = await gate.enter("r1", stored("file:good"), signal);
      again.accepted();
      again.leave();
    }
    attempts = 0;
    for (let n = 0; n < 50; n++) await job(`env:later-${n}`).catch(() => undefined);
    expect(attempts).toBe(12);
  });
});

test("stored credentials that a device has taken make room for others while their jobs run", async () => {
  const gate = createLoginGate({ failures: 1, backoffMs: 1_000, perSecond: 0 }, () => 0);
  const inside = [];
  for (let at = 0; at < 20; at++) {
    const pass = await gate.enter("r1", { credential: `file:${at}` }, signal);
    pass.accepted();
    inside.push(pass);
  }
  for (const pass of inside) pass.leave();
});

test("a credential that cannot be read before its login admits no further attempts with a wrong password", async () => {
  const gate = createLoginGate({ failures: 3, backoffMs: 1_000, perSecond: 0 }, () => 0);
  const first = await gate.enter("r1", "admin", signal);
  first.failed(new ServiceError("DriverError", "There is no credential", { outcome: "none" }));
  first.leave();
  let attempts = 0;
  const job = async () => {
    const pass = await gate.enter("r1", "admin", signal);
    attempts++;
    await null;
    pass.failed(wrong);
    pass.leave();
  };
  await Promise.allSettled(Array.from({ length: 20 }, job));
  expect(attempts).toBe(3);
});

test("an accepted password admits all waiting jobs and clears the failures", async () => {
  const gate = createLoginGate({ failures: 2, backoffMs: 1_000, perSecond: 0 }, () => 0);
  const first = await gate.enter("r1", "u", signal);
  const second = await gate.enter("r1", "u", signal);
  let third = false;
  const waiting = gate.enter("r1", "u", signal).then(() => {
    third = true;
  });
  await Promise.resolve();
  expect(third).toBe(false);
  first.failed(wrong);
  second.accepted();
  await waiting;
  expect(third).toBe(true);
});

test("a job that fails behind its login clears the failures, as the password was right", async () => {
  const gate = createLoginGate({ failures: 3, backoffMs: 1_000, perSecond: 0 }, () => 0);
  const refused = new ServiceError("CommandError", "no");
  // A new password is tried, the line that sets it is refused, and the new one is tried again.
  for (const error of [wrong, refused, wrong, wrong, refused, wrong]) {
    const pass = await gate.enter("r1", "u", signal);
    pass.failed(error);
    pass.leave();
  }
  (await gate.enter("r1", "u", signal)).leave();
});

test("logins of a user whose name is sealed are told without one", async () => {
  const gate = createLoginGate({ failures: 1, backoffMs: 1_000, perSecond: 0 }, () => 0);
  const pass = await gate.enter("r1", "", signal);
  pass.failed(wrong);
  pass.leave();
  await expect(gate.enter("r1", "", signal)).rejects.toThrow("r1 rejected logins too often");
});

test("an unreadable private key does not count as a failed login", async () => {
  const gate = createLoginGate({ failures: 1, backoffMs: 1_000, perSecond: 0 }, () => 0);
  const unread = new ServiceError("AuthenticationFailed", "Private key pkey cannot be used", { tried: [] });
  for (let at = 0; at < 5; at++) {
    const pass = await gate.enter("r1", "u", signal);
    pass.failed(unread);
    pass.leave();
  }
  const pass = await gate.enter("r1", "u", signal);
  pass.failed(new ServiceError("AuthenticationFailed", "no", { tried: ["publickey"] }));
  pass.leave();
  await expect(gate.enter("r1", "u", signal)).rejects.toMatchObject({ kind: "AuthBackoff" });
});

test("failed logins on a jump host block it, and not the devices behind it", async () => {
  const gate = createLoginGate({ failures: 3, backoffMs: 1_000, perSecond: 0 }, () => 0);
  const through = [{ host: "jump", user: "ops" }];
  const refused = new ServiceError("AuthenticationFailed", "no", {
    host: "JUMP",
    username: "ops",
    tried: ["x"],
  });
  let attempts = 0;
  const job = async (at: number) => {
    const pass = await gate.enter(`r${at}`, "u", signal, undefined, through);
    attempts++;
    await null;
    pass.failed(refused);
    pass.leave();
  };
  const outcomes = await Promise.allSettled(Array.from({ length: 50 }, (_, at) => job(at)));
  expect(attempts).toBe(3);
  const others = outcomes.filter(({ status }) => status === "rejected");
  expect(others).toHaveLength(47);
  expect(others[0]).toMatchObject({
    reason: { kind: "AuthBackoff", message: expect.stringMatching(/jump.*ops/) },
  });
  // Another path, and another user of the jump host.
  (await gate.enter("r0", "u", signal)).leave();
  (await gate.enter("r0", "u", signal, undefined, [{ host: "jump", user: "other" }])).leave();
});

test("failed logins on a device behind a jump host block only that device", async () => {
  const gate = createLoginGate({ failures: 1, backoffMs: 1_000, perSecond: 0 }, () => 0);
  const through = [{ host: "jump", user: "ops" }];
  const first = await gate.enter("r1", "u", signal, undefined, through);
  first.failed(new ServiceError("AuthenticationFailed", "no", { host: "r1", username: "u", tried: ["x"] }));
  first.leave();
  await expect(gate.enter("r1", "u", signal, undefined, through)).rejects.toMatchObject({
    kind: "AuthBackoff",
  });
  const passes = await Promise.all(
    ["r2", "r3", "r4"].map((host) => gate.enter(host, "u", signal, undefined, through)),
  );
  for (const pass of passes) pass.leave();
});

describe("jump hosts from ssh_config", () => {
  const hop = { host: "JUMP", user: "ops" };
  const refused = new ServiceError("AuthenticationFailed", "no", {
    host: "jump",
    username: "ops",
    tried: ["x"],
  });

  test("are protected from repeated failures like those of the request", async () => {
    const gate = createLoginGate({ failures: 3, backoffMs: 1_000, perSecond: 0 }, () => 0);
    let attempts = 0;
    const job = async (at: number) => {
      const pass = await gate.enter(`r${at}`, "u", signal);
      try {
        await pass.enterHops([hop], signal);
        attempts++;
        await null;
        pass.failed(refused);
      } finally {
        pass.leave();
      }
    };
    const outcomes = await Promise.allSettled(Array.from({ length: 50 }, (_, at) => job(at)));
    expect(attempts).toBe(3);
    expect(outcomes.filter(({ status }) => status === "rejected")).toHaveLength(47);
    expect(outcomes.at(-1)).toMatchObject({
      reason: { kind: "AuthBackoff", message: expect.stringMatching(/jump.*ops/i) },
    });
    // No device behind it is blamed, and nothing is left behind by those that were refused.
    for (let at = 0; at < 50; at++) (await gate.enter(`r${at}`, "u", signal)).leave();
  });

  test("are entered once if the request names them too", async () => {
    const gate = createLoginGate({ failures: 1, backoffMs: 1_000, perSecond: 0 }, () => 0);
    const pass = await gate.enter("r1", "u", signal, undefined, [{ host: "jump", user: "ops" }]);
    await pass.enterHops([hop], signal);
    pass.leave();
    (await gate.enter("jump", "ops", signal)).leave();
  });

  test("do not deadlock two jobs that use each other's device as jump host", async () => {
    const gate = createLoginGate({ failures: 1, backoffMs: 1_000, perSecond: 0 }, () => 0);
    const [a, b] = [await gate.enter("a", "u", signal), await gate.enter("b", "u", signal)];
    const through = async (pass: typeof a, host: string) => {
      await pass.enterHops([{ host, user: "u" }], signal);
      pass.leave();
    };
    await Promise.all([through(a, "b"), through(b, "a")]);
  });
});

test("a connection timeout does not count as a failed login", async () => {
  const gate = createLoginGate({ failures: 1, backoffMs: 1_000, perSecond: 0 }, () => 0);
  for (let at = 0; at < 5; at++) {
    const pass = await gate.enter("r1", "u", signal);
    pass.failed(new ServiceError("ConnectionTimeout", "silent"));
    pass.leave();
  }
});

test("a job that waits for a login can be cancelled", async () => {
  const gate = createLoginGate({ failures: 1, backoffMs: 1_000, perSecond: 0 }, () => 0);
  await gate.enter("r1", "u", signal);
  const stop = new AbortController();
  const waiting = gate.enter("r1", "u", stop.signal);
  stop.abort(new ServiceError("Cancelled", "stopped"));
  await expect(waiting).rejects.toMatchObject({ kind: "Cancelled" });
});

test("logins are limited to the rate per second", async () => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "performance"] });
  const gate = createLoginGate({ failures: 0, backoffMs: 0, perSecond: 200 });
  let entered = 0;
  const enter = async () => {
    await gate.enter("r", "u", signal);
    entered++;
  };
  const all = Promise.all(Array.from({ length: 21 }, enter));
  await vi.advanceTimersByTimeAsync(50);
  expect(entered).toBe(11);
  await vi.advanceTimersByTimeAsync(50);
  expect(entered).toBe(21);
  await all;
  vi.useRealTimers();
});

describe("the memory of accounts", () => {
  const settled = async (gate: LoginGate, host: string, error?: ServiceError) => {
    const pass = await gate.enter(host, "u", signal);
    if (error) pass.failed(error);
    else pass.accepted();
    pass.leave();
  };

  test("keeps a blocked account, however many other devices log in", async () => {
    const gate = createLoginGate({ failures: 1, backoffMs: 60_000, perSecond: 0 }, () => 0);
    await settled(gate, "locked", wrong);
    for (let at = 0; at < 120_000; at++) await settled(gate, `r${at}`);
    await expect(gate.enter("locked", "u", signal)).rejects.toMatchObject({ kind: "AuthBackoff" });
  });

  test("does not scan other accounts on a login", async () => {
    let clockReads = 0;
    const gate = createLoginGate({ failures: 3, backoffMs: 60_000, perSecond: 0 }, () => {
      clockReads++;
      return 0;
    });
    for (let at = 0; at < 60_000; at++) await settled(gate, `r${at}`);
    const before = clockReads;
    await settled(gate, "another");
    expect(clockReads - before).toBeLessThan(10);
  });

  test("lets waiting and later jobs log in one at a time", async () => {
    const gate = createLoginGate({ failures: 1, backoffMs: 1_000, perSecond: 0 }, () => 0);
    let inside = 0;
    const outcome = async () => {
      const pass = await gate.enter("r1", "u", signal);
      inside++;
      expect(inside).toBe(1);
      await Promise.resolve();
      inside--;
      pass.leave();
    };
    const waiting = [outcome(), outcome()];
    await waiting[0];
    await Promise.all([...waiting, outcome(), outcome()]);
    expect(inside).toBe(0);
  });
});

test("a login refused for reach does not count as a password check", async () => {
  const gate = createLoginGate({ failures: 1, backoffMs: 1_000, perSecond: 0 }, () => 0);
  const refused = await gate.enter("r1", "u", signal);
  refused.failed(new ServiceError("Forbidden", "out of reach"));
  refused.leave();
  const first = await gate.enter("r1", "u", signal);
  let second = false;
  const waiting = gate.enter("r1", "u", signal).then((pass) => {
    second = true;
    return pass;
  });
  await new Promise((resolve) => setImmediate(resolve));
  expect(second).toBe(false);
  first.accepted();
  first.leave();
  (await waiting).leave();
});

test.each([
  "RenderError",
  "TemplateError",
  "NotFound",
  "Validation",
  "Unavailable",
  "ResourceExhausted",
] as const)(
  "a job that fails as %s before its login admits no further attempts with a wrong password",
  async (kind) => {
    const gate = createLoginGate({ failures: 3, backoffMs: 1_000, perSecond: 0 }, () => 0);
    const first = await gate.enter("r1", "u", signal);
    first.failed(new ServiceError(kind, "before the login"));
    first.leave();
    let attempts = 0;
    const job = async () => {
      const pass = await gate.enter("r1", "u", signal);
      attempts++;
      await null;
      pass.failed(wrong);
      pass.leave();
    };
    await Promise.allSettled(Array.from({ length: 20 }, job));
    expect(attempts).toBe(3);
  },
);
