/** The response cache of a job: each request is sent once, and the cache is bounded. */
import { expect, test } from "vitest";
import { createAnswers } from "../../../plugins/drivers/napalm/answers.ts";

test("a request is sent once per job, and its response is listed for each method that used it", async () => {
  const answers = createAnswers();
  let requests = 0;
  const ask = async () => `answer ${++requests}`;
  expect(await answers.of("get_facts").once("show version", ask)).toBe("answer 1");
  expect(await answers.of("get_interfaces").once("show version", ask)).toBe("answer 1");
  expect(answers.raw()).toEqual({
    get_facts: { "show version": "answer 1" },
    get_interfaces: { "show version": "answer 1" },
  });
});

test("the response cache limits the total size of texts and structures", async () => {
  const MiB = 1024 * 1024;
  const texts = createAnswers().of("x");
  const long = "x".repeat(16 * MiB);
  for (let at = 0; at < 4; at++) await texts.once(String(at), async () => long);
  await expect(texts.once("more", async () => "x")).rejects.toMatchObject({ kind: "OutputTooLarge" });

  const structures = createAnswers().of("x");
  const wide = Array.from({ length: MiB }, () => ({}));
  for (let at = 0; at < 3; at++) await structures.structure(String(at), async () => wide);
  await expect(structures.structure("more", async () => wide)).rejects.toMatchObject({
    kind: "OutputTooLarge",
    message: expect.stringContaining("64 MiB in total"),
  });
});
