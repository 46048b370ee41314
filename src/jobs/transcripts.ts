/** Reads what a push sent and received, for those who may see its job. */
import * as v from "valibot";
import { type TranscriptRecord, transcriptContent } from "../api/jobs/transcript.ts";
import { requireScope } from "../auth/caller.ts";
import type { Caller } from "../auth/port.ts";
import { maySeeJob } from "../auth/reach.ts";
import { ServiceError } from "../base/errors.ts";
import { hashOfSent } from "../base/secrets/sent-hash.ts";
import type { Store } from "../store/port.ts";

export function createTranscriptQuery({
  store,
  iso,
}: {
  readonly store: Pick<Store, "transcripts">;
  readonly iso: (ms: number) => string;
}) {
  return {
    async sentBy(id: string, caller: Caller): Promise<TranscriptRecord> {
      requireScope(caller, "read");
      const stored = await store.transcripts.find(id);
      if (stored === undefined || !maySeeJob(caller, stored))
        throw new ServiceError(
          "NotFound",
          "Nothing is kept of that job: there is none with that id, it was no push, it sent nothing, or it has not ended.",
        );
      if (stored.content === null)
        throw new ServiceError("Internal", "What the job sent is damaged and cannot be decrypted.");
      const content = v.parse(transcriptContent, JSON.parse(stored.content));
      const sha256 = hashOfSent(content.lines, content.dialogue);
      return { id, host: stored.host, ended_at: iso(stored.at), ...content, sha256 };
    },
  };
}
