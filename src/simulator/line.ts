/** The two ends of a login: the line to the client, and the terminal behind it. */

export interface Line {
  write(text: string): void;
  close(): void;
}

/** What a listener gives for each login. */
export interface Attachment {
  type(text: string): void;
  closed(): void;
}
