CREATE TABLE `login_requests` (
	`id` text PRIMARY KEY NOT NULL,
	`challenge` text NOT NULL,
	`user_code` text,
	`port` integer,
	`machine` text NOT NULL,
	`address` text,
	`state` text NOT NULL,
	`person_id` text,
	`code` text,
	`asked_at` integer NOT NULL,
	`ends_at` integer NOT NULL
);
--> statement-breakpoint
CREATE UNIQUE INDEX `login_requests_user_code` ON `login_requests` (`user_code`);--> statement-breakpoint
CREATE INDEX `login_requests_end` ON `login_requests` (`ends_at`);
