-- Whether an incident has a post-mortem: one is linked to it.
-- columns:
-- post_mortem_id: parameter: the one it names
create or replace macro has_post_mortem(post_mortem_id) as
  coalesce(post_mortem_id, '') <> ''
