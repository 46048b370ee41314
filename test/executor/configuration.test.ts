/** Errors of takes quote nothing of a configuration. */
import { expect, test } from "vitest";
import { ServiceError } from "../../src/base/errors.ts";
import { withoutOutput } from "../../src/executor/configuration.ts";

const secret = "canary-secret-7";

test.each([
  `Pattern not detected: the prompt in output within 30 seconds after "show running-config". Last received: "enable secret 0 ${secret}\\nend"`,
  `The device answered: "username x password ${secret} and more and more and more and more"`,
  `first line\nsnmp-server community ${secret}`,
  `Last received: "snmp-server community ${secret}\\r\\nand no end`,
])("%s", (message) => {
  const detail = {
    command: "show running-config",
    outcome: "none",
    output: secret,
    partial: [secret],
  } as const;
  const error = withoutOutput(new ServiceError("ReadTimeout", message, { ...detail, partial: [secret] }));
  expect(JSON.stringify([error.message, error.detail])).not.toContain(secret);
  expect(error.kind).toBe("ReadTimeout");
  expect(error.detail).toMatchObject({ command: "show running-config", outcome: "none" });
});

test("what was asked stays", () => {
  const message = 'Pattern not detected: the prompt after "show running-config".';
  expect(withoutOutput(new ServiceError("ReadTimeout", message)).message).toBe(message);
});
