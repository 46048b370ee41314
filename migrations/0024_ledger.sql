CREATE TABLE `ledger` (
	`seq` integer PRIMARY KEY NOT NULL,
	`at` integer NOT NULL,
	`kind` text NOT NULL,
	`ref` text NOT NULL,
	`body` text NOT NULL,
	`prev` text NOT NULL,
	`hash` text NOT NULL,
	`mac` text NOT NULL,
	`key_id` text NOT NULL
);
--> statement-breakpoint
CREATE UNIQUE INDEX `ledger_ref_unique` ON `ledger` (`ref`);--> statement-breakpoint
CREATE INDEX `ledger_at` ON `ledger` (`at`);--> statement-breakpoint
CREATE INDEX `ledger_kind` ON `ledger` (`kind`,`seq`);--> statement-breakpoint
CREATE INDEX `ledger_device` ON `ledger` (lower(coalesce(body ->> '$.device', body ->> '$.host')),`seq`);--> statement-breakpoint
CREATE INDEX `ledger_ticket` ON `ledger` (body ->> '$.ticket',`seq`) WHERE body ->> '$.ticket' is not null;--> statement-breakpoint
CREATE TRIGGER `ledger_follows` BEFORE INSERT ON `ledger`
WHEN new.seq <> 1 + coalesce((SELECT max(seq) FROM `ledger`), 0)
	OR (new.seq > 1 AND new.prev <> (SELECT hash FROM `ledger` WHERE seq = new.seq - 1)) BEGIN
	SELECT raise(abort, 'ledger: another entry was written meanwhile');
END;
--> statement-breakpoint
CREATE TRIGGER `ledger_stays` BEFORE UPDATE ON `ledger` BEGIN
	SELECT raise(abort, 'an entry of the ledger is never changed');
END;
--> statement-breakpoint
CREATE TABLE `ledger_keys` (
	`id` text PRIMARY KEY NOT NULL,
	`purpose` text NOT NULL,
	`public_key` text,
	`secret` blob NOT NULL,
	`created_at` integer NOT NULL
);
--> statement-breakpoint
CREATE TABLE `ledger_checkpoints` (
	`n` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`seq` integer NOT NULL,
	`at` integer NOT NULL,
	`body` text NOT NULL,
	`signature` text NOT NULL,
	`pending` text
);
--> statement-breakpoint
CREATE UNIQUE INDEX `ledger_checkpoints_seq_unique` ON `ledger_checkpoints` (`seq`);--> statement-breakpoint
CREATE INDEX `config_versions_cause` ON `config_versions` (`cause_job_id`) WHERE cause_job_id is not null;
