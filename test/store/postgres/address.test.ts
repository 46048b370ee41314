/** What an address of PostgreSQL may say, and what is refused before anything is sent. */
import { chmodSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { secret } from "../../../src/base/secrets/secret.ts";
import { addressOf } from "../../../src/store/postgres/database/address.ts";
import { temporary } from "../../support/temporary.ts";

test("hosts, ports, user, password and database are those of the address", () => {
  const { hosts, user, database, password, tls, prepares, listens } = addressOf(
    "postgres://anna:p%40ss@127.0.0.1:6432,localhost/queue?listen=off&prepare=off",
  );
  expect(hosts).toEqual([
    { host: "127.0.0.1", port: 6432 },
    { host: "localhost", port: 5432 },
  ]);
  expect({ user, database, tls, prepares, listens }).toEqual({
    user: "anna",
    database: "queue",
    tls: false,
    prepares: false,
    listens: false,
  });
  expect(password?.reveal()).toBe("p@ss");
  expect(addressOf("postgres://a@[::1]:5433/q").hosts).toEqual([{ host: "::1", port: 5433 }]);
  expect(addressOf("postgres://a@/q?host=/run/postgresql").hosts[0]?.host).toBe("/run/postgresql");
  expect(addressOf("postgres://a@localhost/q", secret("apart")).password?.reveal()).toBe("apart");
});

test("a comma in the user or the password is none between hosts, of which a part would be looked up and shown", () => {
  const { hosts, user, password, shown } = addressOf("postgres://anna:12,w@127.0.0.1/queue");
  expect({ hosts, user, shown }).toEqual({
    hosts: [{ host: "127.0.0.1", port: 5432 }],
    ...{ user: "anna", shown: "127.0.0.1:5432/queue" },
  });
  expect(password?.reveal()).toBe("12,w");
  expect(addressOf("postgres://anna:a,b@127.0.0.1,localhost:5433/q").hosts).toHaveLength(2);
});

test("beyond this machine it is spoken to over TLS, and the server must be who it says", () => {
  expect(addressOf("postgres://a@db.example/q").tls).toEqual({ rejectUnauthorized: true });
  expect(addressOf("postgres://a@db.example/q?sslmode=require").tls).toMatchObject({
    rejectUnauthorized: false,
  });
  expect(() => addressOf("postgres://a@db.example/q?sslmode=disable")).toThrow("needs TLS");
  expect(() => addressOf("postgres://a@localhost,db.example/q?sslmode=disable")).toThrow("needs TLS");
  expect(() => addressOf("postgres://a@db.example/q?sslmode=prefer")).toThrow("sslmode=");
});

test("certificates and the password are read from files", () => {
  const folder = temporary();
  const file = (name: string, text: string) => {
    const path = join(folder.path, name);
    writeFileSync(path, text, { mode: 0o600 });
    return path;
  };
  const [ca, cert, key] = ["ca", "cert", "key"].map((name) => file(name, name));
  const url = `postgres://a@db.example/q?sslmode=verify-ca&sslrootcert=${ca}&sslcert=${cert}&sslkey=${key}`;
  expect(addressOf(url).tls).toMatchObject({ ca: "ca", cert: "cert", key: "key", rejectUnauthorized: true });
  const lines = ["# hosts", "other:*:*:a:no", "db.example:5432:*:a:with\\:colon", ""];
  const passfile = file("pgpass", lines.join("\r\n"));
  expect(addressOf(`postgres://a@db.example/q?passfile=${passfile}`).password?.reveal()).toBe("with:colon");
  // As libpq does.
  chmodSync(passfile, 0o640);
  expect(addressOf(`postgres://a@db.example/q?passfile=${passfile}`)).toMatchObject({
    password: undefined,
    leftOut: expect.stringContaining(`chmod 600 ${passfile}`),
  });
  expect(addressOf(`postgres://a:b@db.example/q?passfile=${passfile}`).leftOut).toBeUndefined();
  expect(() => addressOf("postgres://a@db.example/q?sslrootcert=/nowhere")).toThrow("cannot be read");
  folder.remove();
});

test.each([
  ["postgres://localhost", "names no database"],
  ["postgres://a@localhost/q?pool_mode=x", "unknown parameter pool_mode"],
  ["postgres://a@localhost/q?listen=no", "listen="],
  ["postgres://a@localhost/q?readers=0", "readers="],
  ["postgres://a:%zz@localhost/q", "%"],
])("%s is refused", (url, why) => {
  expect(() => addressOf(url)).toThrow(why);
});
