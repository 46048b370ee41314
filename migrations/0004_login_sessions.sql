CREATE TABLE `login_sessions` (
	`session_id` text PRIMARY KEY NOT NULL,
	`hash` text NOT NULL,
	`key_id` text NOT NULL,
	`logged_in_at` integer NOT NULL,
	`last_seen_at` integer NOT NULL,
	`ends_at` integer NOT NULL,
	`address` text,
	`agent` text
);
--> statement-breakpoint
CREATE UNIQUE INDEX `login_sessions_hash_unique` ON `login_sessions` (`hash`);--> statement-breakpoint
CREATE INDEX `login_sessions_key` ON `login_sessions` (`key_id`,`last_seen_at`);--> statement-breakpoint
CREATE INDEX `login_sessions_end` ON `login_sessions` (`ends_at`);