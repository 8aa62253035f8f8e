-- Change in a share as the difference of two shares, current minus previous. The result is a struct of `estimate`,
-- `low` and `high` (95% CI, between -1 and 1), `p`, `certainty`, `is_small` and `verdict` (`lower` or `higher`), see
-- change_certainty and change_verdict. It uses the score test of two shares, see dispersion_p. The CI combines two
-- Wilson CIs, widened by dispersion_z95. Null if either period has no trials. Source: Newcombe 1998, Stat. Med. 17,
-- 873-890, method 10; McCullagh and Nelder, section 4.5.2.
-- rule: Change in a share: difference in percentage points with Newcombe's interval, widened for overdispersion between
--   weeks.
-- columns:
-- hits_now: hits in the current period
-- trials_now: trials in the current period
-- hits_before: hits in the previous period
-- trials_before: trials in the previous period
-- dispersion: share_dispersion of the weeks of both periods, or null to treat the trials as independent
create or replace macro share_change(hits_now, trials_now, hits_before, trials_before, dispersion := null) as
  list_transform(
    list_transform(
      list_transform(
        list_transform(
          [{
            'hits': hits_now,
            'trials': trials_now,
            'hits_before': hits_before,
            'trials_before': trials_before,
            'dispersion': dispersion
          }],
          lambda given: {
            'now': given.hits / given.trials,
            'before': given.hits_before / given.trials_before,
            'both': (given.hits + given.hits_before) / (given.trials + given.trials_before),
            'of_one': 1 / given.trials + 1 / given.trials_before,
            'dispersion': given.dispersion,
            'z': dispersion_z95(given.dispersion),
            'of': given
          }
        ),
        lambda given: case
          when given."of".trials > 0 and given."of".trials_before > 0 and given.z is not null then struct_pack(
            now := given.now,
            before := given.before,
            dispersion := given.dispersion,
            interval_now := wilson_interval(given."of".hits, given."of".trials, z := given.z),
            interval_before := wilson_interval(given."of".hits_before, given."of".trials_before, z := given.z),
            score := (given.now - given.before) / nullif(sqrt(given.both * (1 - given.both) * given.of_one), 0)
          )
        end
      ),
      lambda given: case
        when given.interval_now is not null then struct_pack(
          estimate := given.now - given.before,
          low := given.now - given.before
            - sqrt(pow(given.now - given.interval_now.low, 2) + pow(given.interval_before.high - given.before, 2)),
          high := given.now - given.before
            + sqrt(pow(given.interval_now.high - given.now, 2) + pow(given.before - given.interval_before.low, 2)),
          p := if(given.score is null, 1e0, dispersion_p(given.score, given.dispersion))
        )
      end
    ),
    lambda found: case
      when found.p is not null then struct_pack(
        estimate := found.estimate,
        low := found.low,
        high := found.high,
        p := found.p,
        certainty := change_certainty(found.p, sign(found.estimate), found.low > 0 or found.high < 0),
        is_small := found.low >= -0.1 and found.high <= 0.1,
        verdict := change_verdict(
          change_certainty(found.p, sign(found.estimate), found.low > 0 or found.high < 0),
          sign(found.estimate),
          found.low >= -0.1 and found.high <= 0.1,
          'lower',
          'higher'
        )
      )
    end
  )[1]
