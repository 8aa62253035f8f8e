-- Change in a count as the ratio of two daily rates, current over previous. The result is a struct of `estimate`, `low`
-- and `high` (95% CI), `p`, `certainty`, `is_small` and `verdict` (`fewer` or `more`), see change_certainty and
-- change_verdict. It uses the score test of two Poisson rates, see dispersion_p, and the exact conditional test for the
-- counts divided by the dispersion. The larger p is used. The ratio is infinite if the previous count is 0. Null if
-- both counts are 0. Source: Przyborowski and Wilenski 1940, Biometrika 31, 313-323. The CI is Wilson's for the share
-- of the current period.
-- rule: Change in a count: compares rates per day. The CI is widened for overdispersion, estimated from the weekly
--   values and up to 12 earlier weeks. For small counts, an exact test is applied as well.
-- columns:
-- count_now: events of the current period
-- days_now: length of the current period in days
-- count_before: events of the previous period
-- days_before: length of the previous period in days
-- dispersion: count_dispersion of the weeks of both periods, and of earlier weeks if known
create or replace macro count_change(count_now, days_now, count_before, days_before, dispersion) as
  list_transform(
    list_transform(
      list_transform(
        list_transform(
          [{
            'now': count_now,
            'before': count_before,
            'all': count_now + count_before,
            'share': days_now / (days_now + days_before),
            'dispersion': dispersion
          }],
          lambda given: {
            'now': given.now,
            'all': given."all",
            'share': given.share,
            'dispersion': given.dispersion,
            'z': dispersion_z95(given.dispersion),
            'bursts_now': round(given.now / greatest(1, given.dispersion.phi)),
            'bursts_before': round(given.before / greatest(1, given.dispersion.phi))
          }
        ),
        lambda given: case
          when given."all" > 0 and given.share > 0 and given.share < 1 and given.z is not null then struct_pack(
            share := given.now / given."all",
            ends := wilson_interval(given.now, given."all", z := given.z),
            odds := (1 - given.share) / given.share,
            p := greatest(
              dispersion_p(
                (given.now - given."all" * given.share) / sqrt(given."all" * given.share * (1 - given.share)),
                given.dispersion
              ),
              binomial_p(given.bursts_now, given.bursts_now + given.bursts_before, given.share)
            )
          )
        end
      ),
      lambda found: case
        when found.p is not null then struct_pack(
          estimate := found.share / (1 - found.share) * found.odds,
          low := found.ends.low / (1 - found.ends.low) * found.odds,
          -- For a share of 1 the upper limit is 1, except for the last digit.
          high := if(found.share = 1, 'infinity'::double, found.ends.high / (1 - found.ends.high) * found.odds),
          p := found.p
        )
      end
    ),
    lambda found: case
      when found.p is not null then struct_pack(
        estimate := found.estimate,
        low := found.low,
        high := found.high,
        p := found.p,
        certainty := change_certainty(found.p, sign(found.estimate - 1), found.low > 1 or found.high < 1),
        is_small := found.low >= 0.75 and found.high <= 4 / 3,
        verdict := change_verdict(
          change_certainty(found.p, sign(found.estimate - 1), found.low > 1 or found.high < 1),
          sign(found.estimate - 1),
          found.low >= 0.75 and found.high <= 4 / 3,
          'fewer',
          'more'
        )
      )
    end
  )[1]
