/** Reloads what a page shows: soon, or of configurations when there is a new version or jobs have ended. */
import { useEffect, useRef } from "preact/hooks";
import { isFinal } from "../../api/jobs/job.ts";
import { holds } from "./api.ts";
import { type Change, useChanges, useEvents } from "./live.ts";

/** What comes within this time is read together. */
const restMs = 1_000;

/** @returns asks for a reload soon; several times are one reload */
export function useSoon(reload: () => void): () => void {
  const latest = useRef(reload);
  latest.current = reload;
  const timer = useRef<ReturnType<typeof setTimeout> | undefined>(undefined);
  useEffect(() => () => clearTimeout(timer.current), []);
  return () => {
    timer.current ??= setTimeout(() => {
      timer.current = undefined;
      latest.current();
    }, restMs);
  };
}

/** @param isAbout whether the page shows what happens to this job */
export function useJobNews(isAbout: (change: Change) => boolean, reload: () => void): void {
  const soon = useSoon(reload);
  useChanges((changes) => {
    if (changes.some(isAbout)) soon();
  });
}

export function useRefreshed(reload: () => void): void {
  const soon = useSoon(reload);
  useEvents(holds("history") ? "/history/change/events" : undefined, { version: soon });
  // A take that fails, or finds nothing new, makes no version.
  useChanges((changes) => {
    if (changes.some(({ status }) => isFinal(status))) soon();
  });
}
