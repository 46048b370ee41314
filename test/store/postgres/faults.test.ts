/** What an error means is read off its code: one of the server, of the client, or of the system. */
import { expect, test } from "vitest";
import { faultOf, isAnswer } from "../../../src/store/postgres/database/faults.ts";

test.each([
  { code: "23505", fault: "refused", answered: true },
  { code: "P0001", fault: "refused", answered: true },
  { code: "55P03", fault: "busy", answered: true },
  { code: "25006", fault: "standby", answered: true },
  { code: "57P01", fault: "gone", answered: true },
  { code: "EPIPE", fault: "gone", answered: false },
  { code: "ECONNRESET", fault: "gone", answered: false },
  { code: "CONNECTION_CLOSED", fault: "gone", answered: false },
])("$code is $fault", ({ code, fault, answered }) => {
  const error = Object.assign(new Error("x"), { code });
  expect(faultOf(error)).toBe(fault);
  expect(isAnswer(error)).toBe(answered);
});
