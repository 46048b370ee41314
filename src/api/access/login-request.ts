/** Logins of command lines, which a person confirms in the console: limits, and schemas of requests and records. */
import * as v from "valibot";
import { port } from "../forms.ts";
import { described, field, integer, moment, named, text, type Unchanged } from "../schema.ts";
import { madeKey } from "./key.ts";
import { personNameOf } from "./person.ts";

export const loginRequestLimits = {
  /** That wait at the same time: of one address, and in all. */
  perAddress: 5,
  inAll: 500,
  /** How long one waits for its person. */
  waitMs: 600_000,
  /** How long a confirmed one may be used. */
  useMs: 120_000,
  /** How long a request for its key is held. */
  holdMs: 50_000,
  /** Wrong codes of one person within this time. */
  guesses: 10,
  guessMs: 600_000,
} as const;

/** Without vowels, so that no words come about, and without what looks like something else. */
export const userCodeLetters = "BCDFGHJKLMNPQRSTVWXZ";
export const userCodeLength = 8;

/** `wdjb-mjht`, as somebody types it, in its one spelling; undefined: it is no code. */
export function plainUserCode(typed: string): string | undefined {
  const code = typed.toUpperCase().replace(/[\s-]+/g, "");
  const isCode =
    code.length === userCodeLength && [...code].every((letter) => userCodeLetters.includes(letter));
  return isCode ? code : undefined;
}

/** `WDJB-MJHT`, as it is shown. */
export function shownUserCode(code: string): string {
  return `${code.slice(0, userCodeLength / 2)}-${code.slice(userCodeLength / 2)}`;
}

const hash = (what: string) =>
  v.pipe(v.string("must be a string"), v.regex(/^[\w-]{43}$/, `must be ${what}: 43 characters of base64url`));

/** Body of POST /login/request. */
export const newLoginRequest = named(
  "NewLoginRequest",
  v.strictObject({
    challenge: described(
      hash("a SHA-256"),
      "SHA-256 of a random text that only the machine knows, the verifier, in base64url",
    ),
    machine: v.pipe(
      v.string("must be a string"),
      v.nonEmpty("must not be empty"),
      v.maxLength(255, "is longer than 255 characters"),
      v.description("Host name of the machine; the key is named after it"),
      // Shown to the person, who must not take it for something else.
      v.transform(personNameOf),
    ),
    port: described(
      field(port),
      "Where the machine listens on 127.0.0.1 for the browser that the person confirms with; not given: the person types a code instead",
    ),
  }),
);

export const askedLoginRequest = named(
  "AskedLogin",
  v.object({
    request: described(text, "Id, for POST /login/token"),
    user_code: described(v.nullable(text), "For the person to type; null: the machine has a port"),
    page: described(text, "Path of the page of the console where the person confirms"),
    expires_at: moment,
  }),
);
export type AskedLoginRequest = Unchanged<v.InferOutput<typeof askedLoginRequest>>;

/** Body of POST /login/token. */
export const loginTokenRequest = named(
  "LoginTokenRequest",
  v.strictObject({
    request: described(
      v.pipe(v.string("must be a string"), v.maxLength(100, "is too long")),
      "Id of the request",
    ),
    verifier: described(hash("32 random bytes"), "The text whose SHA-256 is the challenge"),
    code: described(
      field(hash("a code")),
      "What the browser brought; not given: the answer waits until the person has typed the code of the request, 50 seconds at most",
    ),
  }),
);

export const loginToken = named(
  "LoginToken",
  v.object({
    state: described(v.picklist(["waiting", "done"]), "`waiting`: ask again"),
    person: described(v.nullable(text), "Name of the person who confirmed it"),
    key: described(v.nullable(madeKey), "The key of that person"),
  }),
);
export type LoginToken = Unchanged<v.InferOutput<typeof loginToken>>;

/** As in GET /person/me/login. */
export const waitingLogin = named(
  "WaitingLogin",
  v.object({
    machine: described(text, "As it calls itself"),
    address: described(v.nullable(text), "Where it asked from; null: a Unix socket"),
    port: described(
      v.nullable(integer),
      "Where it waits for the browser of the same machine; null: it gave a code",
    ),
    asked_at: moment,
    expires_at: moment,
    key_days: described(v.number(), "Life of the key that it gets"),
  }),
);
export type WaitingLogin = Unchanged<v.InferOutput<typeof waitingLogin>>;

/** Body of POST /person/me/login. */
export const loginDecision = named(
  "LoginDecision",
  v.strictObject({
    request: described(v.optional(v.string("must be a string")), "Id of a request with a port"),
    user_code: described(v.optional(v.string("must be a string")), "Code of a request without one"),
    confirm: described(v.boolean("must be true or false"), "`false`: it gets nothing"),
  }),
);

export const decidedLogin = named(
  "DecidedLogin",
  v.object({
    return_to: described(
      v.nullable(text),
      "Where the browser brings the code of the login: an address of the machine itself; null: nowhere",
    ),
  }),
);
export type DecidedLogin = Unchanged<v.InferOutput<typeof decidedLogin>>;
