CREATE TABLE `line_evidence` (
	`platform` text NOT NULL,
	`version_major` text NOT NULL,
	`section` text NOT NULL,
	`shape` text NOT NULL,
	`accepted` integer NOT NULL,
	`refused` integer NOT NULL,
	`sample_error` text,
	`last_at` integer NOT NULL,
	PRIMARY KEY(`platform`, `section`, `shape`, `version_major`)
);
--> statement-breakpoint
CREATE INDEX `line_evidence_shape` ON `line_evidence` (`platform`,`shape`);--> statement-breakpoint
CREATE INDEX `line_evidence_last` ON `line_evidence` (`last_at`);
