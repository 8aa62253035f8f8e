-- Whether a post-mortem is linked to an incident.
-- columns:
-- post_mortem_id: parameter: id of the post-mortem that the incident refers to
create or replace macro has_post_mortem(post_mortem_id) as
  coalesce(post_mortem_id, '') <> ''
